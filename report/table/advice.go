package table

import (
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// worthAdvice is the share of the ideal from which on what is lost to one cause is worth a sentence.
const worthAdvice = 0.05

// advice says what to do about what the largest count of a series loses most to; none where that
// is little, or where the devices are software, which share the CPU's cores.
func advice(res *result.Result, rows []result.Summary) []string {
	var last *result.Summary
	for i := range rows {
		if r := &rows[i]; r.Lost != nil && r.Efficiency != nil && r.Count != r.Base && (last == nil || r.Count > last.Count) {
			last = r
		}
	}
	if last == nil || slices.ContainsFunc(last.Teams, func(team []int) bool {
		return slices.ContainsFunc(team, func(d int) bool { return d < len(res.Devices) && res.Devices[d].Software })
	}) {
		return nil
	}
	causes := Causes(last.Lost)
	if len(causes) == 0 || causes[0].Loss < worthAdvice {
		return nil
	}
	return []string{fmt.Sprintf("advice, N=%d: %.1f %% are lost to %s: %s", last.Count, 100*causes[0].Loss, causes[0].Name, Advice(causes[0].Name, last))}
}

// Advice is what may help against a cause of lost efficiency, by its name in Causes.
func Advice(cause string, r *result.Summary) string {
	switch cause {
	case "imbalance":
		if r.Staged {
			return "the stage with most operations sets the pace; another --split has no stages"
		}
		if r.Strategy == "equal" || r.Strategy == "" {
			return "the slowest device sets the pace; --strategy proportional gives each what it can do, and dynamic, where units are independent, what it can do now"
		}
		return "shares follow the devices' rates already; --trace shows which device is late, and in which step"
	case "serialization":
		return "another device is late in each phase, or waits for the one before; a larger --size makes fewer phases matter, another --split may need fewer"
	case "transfer":
		text := "copies that nothing hides; a larger --size has fewer for its work, another --split or --algorithm may need less"
		if r.Transport == "host" || r.Transport == "staging" {
			text += "; --transport auto takes the fastest way that works"
		}
		return text
	case "orchestration":
		return "launching, submitting and waiting; a larger --size has longer steps, and --trace shows where the host is waited for"
	case "clock":
		return "the devices run slower together than alone; power or cooling may be why, and --telemetry records the reasons"
	case "work":
		return "halos or recomputation; a larger --size or another --split has less of it"
	case "rate":
		return "a device's part fills it less, or fits its cache worse; a larger --size, or constants for smaller parts (run --tune)"
	}
	return "work, clock and rate are not known apart; --telemetry records the clocks"
}
