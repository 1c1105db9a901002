package gate

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// ErrRequest is the kind of error for rules and thresholds that cannot be used.
var ErrRequest = errors.New("gate not possible as asked")

// Verdict is what is said about one row.
type Verdict string

// The verdicts. Met and Unmet are those of absolute limits; the others those of
// comparisons.
const (
	Same         Verdict = "same"
	Improved     Verdict = "improved"
	Regressed    Verdict = "regressed"
	Inconclusive Verdict = "inconclusive"
	Incomparable Verdict = "incomparable"
	Missing      Verdict = "missing"
	WrongResult  Verdict = "wrong-result"
	DeviceLost   Verdict = "device-lost"
	Met          Verdict = "met"
	Unmet        Verdict = "unmet"
)

// order is from the gravest down: that of the exit codes.
var order = []Verdict{WrongResult, DeviceLost, Missing, Incomparable, Regressed, Unmet, Inconclusive, Improved, Same, Met}

// Metrics of a row.
const (
	Time       = "time"
	Efficiency = "efficiency"
	Rate       = "rate"
	RatePerGPU = "rate_per_gpu"
	Presence   = "presence" // of a row that a rule requires
)

// Effect is how far the metric has moved, relative to the baseline (0.05: 5 %
// larger; larger is worse for time and better for the others), or, for a limit,
// the value itself with its unit. Low and High bound it with 95 %.
type Effect struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	Unit  string   `json:"unit"` // relative, s, flop/s, ...
}

// Row is one comparison or one limit with its verdict.
type Row struct {
	result.Key
	Count   int     `json:"count"`
	Device  *int    `json:"device,omitempty"` // of a row of one device alone
	Metric  string  `json:"metric"`
	Verdict Verdict `json:"verdict"`
	Effect  *Effect `json:"effect"`
	Reason  string  `json:"reason"`
	// Code is the reason as a word; empty where the verdict needs none.
	Code string `json:"code,omitempty"`
	// DecidedBy is what the verdict rests on: "test", the one-sided test, for a change;
	// "interval", the two-sided one of Effect, for its absence and for limits.
	DecidedBy string `json:"decided_by,omitempty"`
	// Threshold is the relative change that matters; Limit what a rule states.
	Threshold float64 `json:"threshold,omitempty"`
	Limit     string  `json:"limit,omitempty"`
	// Target is the mark that the limit states, one of Report.Targets.
	Target string `json:"target,omitempty"`
	// P is the adjusted p-value of a regression or, if smaller, of an improvement.
	P         *float64         `json:"p,omitempty"`
	Method    string           `json:"method,omitempty"` // mann-whitney, prediction
	Family    int              `json:"family,omitempty"` // comparisons that were corrected for
	Looks     int              `json:"looks,omitempty"`
	Base      []float64        `json:"base,omitempty"` // launch medians, or occasion medians
	New       []float64        `json:"new,omitempty"`
	Turns     *Effect          `json:"in_turns,omitempty"` // of the confirmation's launches alone
	Warnings  []result.Warning `json:"warnings,omitempty"`
	Tolerated bool             `json:"tolerated,omitempty"` // missing, and that is allowed

	test     test
	id       identity
	compared bool    // it was to be compared, whatever came of it
	relative int     // the count that an efficiency is relative to
	cycles   *test   // in clock cycles; nil where the clocks are alike or not known
	clocks   float64 // relative difference of the clocks
	rule     int     // of a limit: its place in the rules
	limit    Limits
}

func (r *Row) warn(code, text string) {
	r.Warnings = append(r.Warnings, result.Warning{Code: code, Text: text})
}

// Report is the outcome of one gate.
type Report struct {
	Verdict    Verdict          `json:"verdict"`        // the gravest of the rows
	BaseFile   string           `json:"base,omitempty"` // what was compared, for people
	NewFile    string           `json:"new"`
	Exit       int              `json:"exit"`
	Compared   int              `json:"compared"`
	Expected   int              `json:"expected"`
	Threshold  float64          `json:"threshold"`
	Phi        float64          `json:"phi"`
	Correction string           `json:"correction"` // holm, benjamini-hochberg, benjamini-hochberg+westfall-young
	Family     int              `json:"family"`
	Looks      int              `json:"looks"`     // planned at the data; 1 without a confirmation
	Occasions  int              `json:"occasions"` // of the baseline; 0: none was given
	Seeds      []uint64         `json:"seeds"`
	Properties []Property       `json:"properties"`        // of the new result
	Targets    []Target         `json:"targets,omitempty"` // of the rules
	Rows       []Row            `json:"rows"`
	Warnings   []result.Warning `json:"warnings"`
}

// Property is one field of the fingerprint.
type Property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (r *Report) warn(code, text string) {
	r.Warnings = append(r.Warnings, result.Warning{Code: code, Text: text})
}

// Count is how many rows have the verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for i := range r.Rows {
		if r.Rows[i].Verdict == v {
			n++
		}
	}
	return n
}

// Warned is how many rows carry the warning of a code.
func (r *Report) Warned(code string) int {
	n := 0
	for i := range r.Rows {
		if slices.ContainsFunc(r.Rows[i].Warnings, func(w result.Warning) bool { return w.Code == code }) {
			n++
		}
	}
	return n
}

// Exit codes of the gate, in their order of precedence.
const (
	exitWrong        = 6
	exitLost         = 7
	exitMissing      = 5
	exitIncomparable = 4
	exitFailed       = 1
	exitInconclusive = 3
)

// finish sorts the rows, counts them and finds the exit code.
func (r *Report) finish(strict bool) {
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Verdict), slices.Index(order, b.Verdict)),
			cmp.Compare(size(b.Effect), size(a.Effect)))
	})
	r.Expected, r.Compared = len(r.Rows), 0
	found := map[Verdict]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		switch row.Verdict {
		case Regressed, Improved:
			row.DecidedBy = "test"
		case Same, Met, Unmet:
			if row.Effect != nil {
				row.DecidedBy = "interval"
			}
		}
		switch row.Verdict {
		case Same, Improved, Regressed, Inconclusive, Met, Unmet:
			r.Compared++
		}
		if !row.Tolerated {
			found[row.Verdict] = true
		}
	}
	r.Verdict = Missing // nothing was compared
	for _, v := range order {
		if found[v] {
			r.Verdict = v
			break
		}
	}
	switch {
	case found[WrongResult]:
		r.Exit = exitWrong
	case found[DeviceLost]:
		r.Exit = exitLost
	case found[Missing] || len(found) == 0:
		r.Exit = exitMissing
	case found[Incomparable]:
		r.Exit = exitIncomparable
	case found[Regressed] || found[Unmet]:
		r.Exit = exitFailed
	case found[Inconclusive] && strict:
		r.Exit = exitInconclusive
	}
}

func size(e *Effect) float64 {
	if e == nil {
		return 0
	}
	return math.Abs(e.Value)
}
