package cmd

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/amgpu/amgpu/report/result"
)

// kept is what the measurement under way has on disk, for the last words of a process that
// ends at once.
var kept struct {
	sync.Mutex
	path          string // of the result; empty: nothing is being measured
	command       string // run or scale
	done, planned int    // launches
	checkpoint    string // file of --checkpoint
}

// keeping begins to count what is kept, of planned launches; gone ends it.
func keeping(path string, o *options, done, planned int) (gone func()) {
	kept.Lock()
	defer kept.Unlock()
	kept.path, kept.command, kept.done, kept.planned, kept.checkpoint = path, "scale", done, planned, o.checkpoint.file
	if o.solo || o.team {
		kept.command = "run"
	}
	return func() {
		kept.Lock()
		defer kept.Unlock()
		kept.path = ""
	}
}

// keptOne counts a launch that is in the journal now.
func keptOne() {
	kept.Lock()
	defer kept.Unlock()
	kept.done++
}

// keptText says what is kept and how to go on; empty: nothing was being measured.
func keptText() (what, next string) {
	kept.Lock()
	defer kept.Unlock()
	where := kept.path
	if info, err := os.Stat(where + result.JournalSuffix); err == nil && info.Size() > 0 {
		where += result.JournalSuffix
	}
	switch {
	case kept.path == "":
		return "", ""
	case kept.done == 0 && kept.checkpoint != "" && exists(kept.checkpoint):
		return "no launch was finished; checkpoint " + kept.checkpoint + " is kept", "the same command goes on from there"
	case kept.done == 0:
		return "no launch was finished", "start the command again"
	case kept.done >= kept.planned:
		return fmt.Sprintf("all %d launches are kept in %s", kept.planned, where), fmt.Sprintf("`amgpu report %s` shows them", kept.path)
	}
	return fmt.Sprintf("%d of %s are kept in %s", kept.done, plural(kept.planned, "launch", "launches"), where),
		fmt.Sprintf("`amgpu %s --resume %s` measures the others, `amgpu report %s` shows these", kept.command, kept.path, kept.path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// lastWords is what a process says that ends at once, for a reason.
func lastWords(w io.Writer, reason error, asJSON bool) {
	last := &exitError{code: codeFor(reason), err: reason}
	if what, next := keptText(); what != "" {
		last.err, last.hint = fmt.Errorf("%w: %s", reason, what), next
	}
	printError(w, last, asJSON)
}
