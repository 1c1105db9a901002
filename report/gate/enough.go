package gate

import "fmt"

// The least numbers of results in which something can be found at all: a change of the
// level has two values on each side, and the Mann-Kendall test of fewer than eight does
// not reach the p-value asked for even where every value exceeds the one before.
const (
	leastForChange = 4
	leastForDrift  = 8
)

// Codes of rows of a history of which nothing, or no drift, can be told.
const (
	TooFewResults  = "too_few_results"
	TooFewForDrift = "too_few_for_drift"
)

// Needs is how many results of a row it takes to find a change of the level, and a drift.
type Needs struct {
	Change int `json:"change"`
	Drift  int `json:"drift"`
}

// enough says of a row whether it has points enough: that nothing was found among
// too few shows nothing.
func (s *Series) enough() {
	switch n := len(s.Points); {
	case n < leastForChange:
		s.Code = TooFewResults
		s.Reason = fmt.Sprintf("too few results to tell: %d; a change of the level needs %d, a drift %d", n, leastForChange, leastForDrift)
	case n < leastForDrift:
		s.Code, s.Reason = TooFewForDrift, fmt.Sprintf("too few results to tell a drift: %d; it needs %d", n, leastForDrift)
	}
}

// Outcome is what is said of a row in which nothing was found.
func (s *Series) Outcome() string {
	switch s.Code {
	case TooFewResults:
		return s.Reason
	case TooFewForDrift:
		return "no change of the level; " + s.Reason
	}
	return "no change of the level"
}

// TooFew is how many rows have too few results to tell whether they changed.
func (h *History) TooFew() int {
	n := 0
	for i := range h.Rows {
		if h.Rows[i].Code == TooFewResults {
			n++
		}
	}
	return n
}
