package result

import (
	"fmt"
	"reflect"
)

// launchID names a launch within a result: two trials with one name are one launch
// told twice.
type launchID struct {
	Key
	count, launch, block int
	side, devices        string
}

func (t *Trial) id() launchID {
	return launchID{t.Key, t.Count, t.Launch, t.Block, t.Side, fmt.Sprint(t.Devices)}
}

// unrepeated keeps the first trial of each launch: exact is how many of the others are
// copies to the last digit, clashes are those that are not.
func unrepeated(trials []Trial) (kept []Trial, exact int, clashes []Trial) {
	seen := make(map[launchID]int, len(trials))
	kept = make([]Trial, 0, len(trials))
	for i := range trials {
		id := trials[i].id()
		first, ok := seen[id]
		switch {
		case !ok:
			seen[id] = len(kept)
			kept = append(kept, trials[i])
		case reflect.DeepEqual(kept[first], trials[i]):
			exact++
		default:
			clashes = append(clashes, trials[i])
		}
	}
	return kept, exact, clashes
}

// dropRepeats leaves out exact copies of trials, which would count as launches of their
// own, and says so; text is why the list cannot be used: two trials of one launch
// that differ.
func dropRepeats(res *Result) (text string) {
	kept, exact, clashes := unrepeated(res.Trials)
	if len(clashes) > 0 {
		return told(&clashes[0])
	}
	if exact > 0 {
		res.Trials = kept
		res.Warnings = append(res.Warnings, repeated(exact))
	}
	return ""
}

func repeated(n int) Warning {
	return Warning{Code: "repeated-trials", Text: fmt.Sprintf("%d trials stood in the file twice, equal to the last digit; each counts once", n)}
}

func told(t *Trial) string {
	return fmt.Sprintf("launch %d, block %d of %s, %s, on devices %v is told twice with different values; was the file put together from several results?", t.Launch, t.Block, t.Workload, t.Mode, t.Devices)
}
