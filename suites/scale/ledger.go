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

// problem names what must give equal outputs.
func (l *ledger) problem(k result.Key, total int64, params map[string]int64, devices []int) string {
	return fmt.Sprint(k.Workload, k.Split, k.Algorithm, total, params, l.class(devices))
}

// remember takes what the trials of an earlier part of the sweep computed. Its cells
// tell the parameters of the workloads.
func (l *ledger) remember(trials []result.Trial, cells []Cell) {
	params := map[string]map[string]int64{}
	for _, c := range cells {
		params[c.Workload] = c.Item.Params
	}
	for i := range trials {
		t := &trials[i]
		p, known := params[t.Workload]
		if passed := t.Verified || t.Unchecked() && t.Status != result.WrongResult; !known || !passed || t.Digest == "" || t.Status == result.Degraded {
			continue
		}
		id := l.problem(t.Key, t.Total, p, t.Devices)
		if t.CountDependent {
			id += fmt.Sprint(t.Count, t.Shares, t.Devices)
		}
		if _, ok := l.digest[id]; !ok {
			l.digest[id] = entry{t.Digest, fmt.Sprintf("%s, %d GPU, launch %d, before the interruption", t.Mode, t.Count, t.Launch)}
		}
		if t.Check != nil && t.Check.Full {
			l.markFull(Cell{Key: t.Key, Count: t.Count, Total: t.Total, Devices: t.Devices})
		}
	}
}

// compare returns an error when an equal problem gave other outputs before.
func (l *ledger) compare(c Cell, shares []int64, v Verification) error {
	if v.Digest == "" {
		return nil
	}
	id := l.problem(c.Key, c.Total, c.Item.Params, c.Devices)
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
	for i, st := range t.Times.All() {
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
		Text: fmt.Sprintf("device time exceeds wall time in %d of %d samples (by up to %.1f %%): device clocks are not to be trusted here", n, t.Times.Len(), 100*(worst-1))}, true
}
