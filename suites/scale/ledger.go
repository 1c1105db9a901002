package scale

import (
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// ledger remembers what earlier launches computed: equal problems must give
// equal outputs whatever the count (class D0).
type ledger struct {
	kinds  map[int]string // by device index
	digest map[string]entry
	full   map[string]bool
}

type entry struct{ digest, where string }

func newLedger(pool []result.Device) *ledger {
	l := &ledger{kinds: map[int]string{}, digest: map[string]entry{}, full: map[string]bool{}}
	for _, d := range pool {
		l.kinds[d.Index] = kind(d)
	}
	return l
}

// class names the kinds of device in a team: other drivers may round
// differently within the tolerance, so digests are compared within a class.
func (l *ledger) class(devices []int) string {
	var kinds []string
	for _, d := range devices {
		kinds = append(kinds, l.kinds[d])
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), "+")
}

// compare returns an error when an equal problem gave other outputs before.
func (l *ledger) compare(c Cell, shares []int64, v Verification) error {
	if v.Digest == "" {
		return nil
	}
	id := fmt.Sprint(c.Workload, c.Split, c.Algorithm, c.Total, c.Item.Params, l.class(c.Devices))
	if v.CountDependent {
		id += fmt.Sprint(c.Count, shares, c.Devices)
	}
	where := fmt.Sprintf("%s, %d GPU, launch %d", c.Mode, c.Count, c.Launch)
	first, ok := l.digest[id]
	if !ok {
		l.digest[id] = entry{v.Digest, where}
		return nil
	}
	if first.digest != v.Digest {
		return fmt.Errorf("outputs differ from those of %s (digest %s, there %s)", first.where, v.Digest, first.digest)
	}
	return nil
}

func cellID(c Cell) string { return fmt.Sprint(c.Key, c.Count, c.Total) }

func (l *ledger) checkedInFull(c Cell) bool { return l.full[cellID(c)+l.class(c.Devices)] }
func (l *ledger) markFull(c Cell)           { l.full[cellID(c)+l.class(c.Devices)] = true }

// aboveWall reports device time above wall time, which no real clock gives: a
// 2 % margin allows for clocks that run at slightly different rates.
func aboveWall(t *result.Trial) (result.Warning, bool) {
	const margin = 1.02
	n, worst := 0, 0.0
	for i, st := range t.Times {
		if i >= len(t.Samples) {
			break
		}
		longest := 0.0
		for d := range st.Compute {
			longest = max(longest, st.Compute[d])
		}
		if ratio := longest / t.Samples[i]; ratio > margin {
			n++
			worst = max(worst, ratio)
		}
	}
	if n == 0 {
		return result.Warning{}, false
	}
	return result.Warning{Code: "gpu-above-wall",
		Text: fmt.Sprintf("device time exceeds wall time in %d of %d samples (by up to %.1f %%): device clocks are not to be trusted here", n, len(t.Times), 100*(worst-1))}, true
}
