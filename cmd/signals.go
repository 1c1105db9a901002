package cmd

import (
	"os"
	"time"
)

// sameSignal is how long the signal that came first counts once, however often it comes:
// timeout(1) sends it to the process and to its group, and a supervisor may do likewise.
const sameSignal = time.Second

// obey stops the command at the first signal and ends the process at the next one, or at
// the first if nothing is under way that would have to be closed; last says what is kept
// then. It returns when signals is closed.
func obey(signals <-chan os.Signal, patient func() bool, last, stop func()) {
	first, ok := <-signals
	if !ok {
		return
	}
	at := time.Now()
	if !patient() {
		last()
		exitNow(codeInterrupted)
	}
	stop()
	for next := range signals {
		if next != first || time.Since(at) > sameSignal {
			last() // the journal holds every finished trial
			exitNow(codeInterrupted)
		}
	}
}
