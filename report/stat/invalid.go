package stat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// InvalidShare is the share of invalid samples above which a row carries no verdict
// (measurement.md M13).
const InvalidShare = 0.05

// noDuration counts samples whose time is none.
const noDuration = "no-duration"

// Invalid counts what is left out of the statistics of trials, by reason and the most
// frequent first, and all samples they hold.
func Invalid(trials []*result.Trial) (counts []result.InvalidCount, samples int) {
	by := map[string]int{}
	for _, t := range trials {
		samples += len(t.Samples)
		reasons := map[int]string{}
		for _, x := range t.Invalid {
			reasons[x.Index] = cmp.Or(reasons[x.Index], x.Reason) // the first one counts
		}
		for i, seconds := range t.Samples {
			switch {
			case reasons[i] != "":
				by[reasons[i]]++
			case !usable(seconds):
				by[noDuration]++
			}
		}
	}
	for reason, n := range by {
		counts = append(counts, result.InvalidCount{Reason: reason, Count: n})
	}
	slices.SortFunc(counts, func(a, b result.InvalidCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	return counts, samples
}

// TooManyInvalid tells whether the invalid samples of trials rule out a verdict, and
// says how many there are and why; empty if there are none.
func TooManyInvalid(trials []*result.Trial) (tooMany bool, text string) {
	counts, samples := Invalid(trials)
	invalid := 0
	var parts []string
	for _, c := range counts {
		invalid += c.Count
		parts = append(parts, fmt.Sprintf("%d %s", c.Count, c.Reason))
	}
	if invalid == 0 {
		return false, ""
	}
	return float64(invalid) > InvalidShare*float64(samples),
		fmt.Sprintf("%d of %d samples are invalid: %s", invalid, samples, strings.Join(parts, ", "))
}

// doubtInvalid is the warning of a row with invalid samples.
func (c *cell) doubtInvalid() []result.Warning {
	tooMany, text := TooManyInvalid(c.trials)
	switch {
	case text == "":
		return nil
	case tooMany:
		text += "; more than 5 %: no verdict may rest on this row"
	default:
		text += " (left out of the median)"
	}
	return []result.Warning{{Code: "invalid-samples", Text: text}}
}

// nothingLeft is the status of a row of which no launch has a valid sample.
func (c *cell) nothingLeft() (status, reason string) {
	counts, _ := Invalid(c.trials)
	_, text := TooManyInvalid(c.trials)
	if len(counts) == 1 && counts[0].Reason == result.InvalidThrottled {
		return result.Throttled, text
	}
	if text != "" {
		text = ": " + text
	}
	return result.Skipped, "no launch has a usable sample" + text
}
