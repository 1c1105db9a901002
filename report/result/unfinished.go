package result

import (
	"fmt"
	"slices"
)

// Codes of the warnings on results whose plan was not carried out to its end.
const (
	Interrupted    = "interrupted"
	StillMeasuring = "still-measuring"
)

// StopInterrupted is Trial.Stop of a launch that was cut short and still counts.
const StopInterrupted = "interrupted"

// Progress is how many launches the result holds, how many its plan has, 0 if it
// stores none, and how many of those held were cut short.
func (r *Result) Progress() (done, planned, short int) {
	for i := range r.Trials {
		if r.Trials[i].Stop == StopInterrupted {
			short++
		}
	}
	return len(r.Trials), len(r.Plan.Order), short
}

// Complete tells whether the plan was carried out, as far as the result says.
func (r *Result) Complete() bool {
	done, planned, short := r.Progress()
	return done >= planned && (planned == 0 || short == 0)
}

// Unfinished is the warning of a result that holds less than its plan, whatever ended
// the measurement: a signal, a time-out, a kill, a full disk. ok is false for a
// complete one and for that of a process that still measures.
func (r *Result) Unfinished() (w Warning, ok bool) {
	measuring := slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Code == StillMeasuring })
	if r.Complete() || measuring {
		return w, false
	}
	done, planned, short := r.Progress()
	text := fmt.Sprintf("interrupted, %d of %d launches", done, planned)
	if short > 0 {
		text += fmt.Sprintf(", %d of them cut short", short)
	}
	return Warning{Code: Interrupted, Text: text}, true
}

// markUnfinished puts the warning first, in place of what an earlier part of the
// measurement may have left.
func (r *Result) markUnfinished() {
	kept := slices.DeleteFunc(r.Warnings, func(w Warning) bool { return w.Code == Interrupted })
	if w, ok := r.Unfinished(); ok {
		kept = append([]Warning{w}, kept...)
	}
	r.Warnings = kept
}
