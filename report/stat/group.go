package stat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// cell is one row: all trials of a key and count (and device, when solo).
type cell struct {
	key      result.Key
	count    int
	device   int // of a solo row, else -1
	trials   []*result.Trial
	launches []launch // those that carry a rate; none if one failed
	status   string
	reason   string
	share    *result.RoofShare // nil: no roof is known
	overRoof string            // why the share is doubted although the row stands
}

// series is the cells of one key by count, with what they are compared with.
type series struct {
	key      result.Key
	cells    []*cell
	refs     []reference // one-device rates of this occasion
	base     int         // count that speedup is relative to; 0: none
	devices  []result.Device
	roofs    ceilings
	imported bool // not measured by this program
	pooled   bool // quick: samples decide, not launch medians
	// What refer finds in refs, once for all cells.
	solo map[int]float64 // median solo rate of each device measured alone
	yard *yardstick      // nil without device times
}

// Imported is the preset of results that hold somebody else's numbers.
const Imported = "import"

// soloKey is what a device alone has in common with a team it belongs to: alone
// it neither divides nor communicates.
type soloKey struct {
	workload         string
	size             result.Size
	residency, cache string
}

func soloOf(k result.Key) soloKey { return soloKey{k.Workload, k.Size, k.Residency, k.Cache} }

// group sorts trials into series: by key, then count, then device.
func group(res *result.Result) []*series {
	type cellKey struct {
		result.Key
		count, device int
	}
	byKey := map[result.Key]*series{}
	cells := map[cellKey]*cell{}
	roofs := ceilingsOf(res)
	var all []*series
	for i := range res.Trials {
		t := &res.Trials[i]
		s := byKey[t.Key]
		if s == nil {
			s = &series{key: t.Key, devices: res.Devices, roofs: roofs, pooled: res.Plan.Preset == "quick", imported: res.Plan.Preset == Imported}
			byKey[t.Key] = s
			all = append(all, s)
		}
		k := cellKey{t.Key, t.Count, -1}
		if t.Mode == "solo" && len(t.Devices) == 1 {
			k.device = t.Devices[0]
		}
		c := cells[k]
		if c == nil {
			c = &cell{key: t.Key, count: t.Count, device: k.device}
			cells[k] = c
			s.cells = append(s.cells, c)
		}
		c.trials = append(c.trials, t)
	}
	slices.SortFunc(all, func(a, b *series) int { return compareKeys(a.key, b.key) })
	for _, s := range all {
		slices.SortFunc(s.cells, func(a, b *cell) int {
			return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(a.device, b.device))
		})
	}
	return all
}

var modeOrder = map[string]int{"strong": 1, "weak": 2, "solo": 3}

func compareKeys(a, b result.Key) int {
	return cmp.Or(cmp.Compare(a.Workload, b.Workload), cmp.Compare(a.Size.N, b.Size.N),
		cmp.Compare(modeOrder[a.Mode], modeOrder[b.Mode]), cmp.Compare(a.Mode, b.Mode),
		cmp.Compare(a.Size.Label, b.Size.Label), cmp.Compare(a.Strategy, b.Strategy), cmp.Compare(a.Split, b.Split),
		cmp.Compare(a.Transport, b.Transport), cmp.Compare(a.Algorithm, b.Algorithm),
		cmp.Compare(a.Residency, b.Residency), cmp.Compare(a.Cache, b.Cache))
}

// severity orders statuses: the row has that of its worst trial.
var severity = map[string]int{
	result.WrongResult: 8, result.DeviceLost: 7, result.Degraded: 6, result.AbovePeak: 5,
	result.Throttled: 4, result.OK: 3, result.Unsupported: 2, result.Skipped: 1,
}

// judge sets status, reason and usable launches of c and holds it against its roof.
func (s *series) judge(c *cell, wrong map[*result.Trial]string) {
	c.judge(wrong, s.devices)
	if len(c.launches) == 0 {
		return
	}
	seconds, _ := s.rate(c)
	share, elsewhere := s.underRoof(c, seconds)
	reason, certain := s.doubtRoof(c, share, elsewhere)
	c.share, c.overRoof = share, reason
	if certain && c.status != result.AbovePeak {
		c.status, c.reason, c.overRoof = result.AbovePeak, reason, ""
	}
}

// judge sets status, reason and usable launches. wrong holds what the comparison
// of digests found, by trial.
func (c *cell) judge(wrong map[*result.Trial]string, devices []result.Device) {
	worst := -1
	for _, t := range c.trials {
		status, reason := t.Status, t.Reason
		if found := wrong[t]; found != "" && mayRate(status) {
			status, reason = result.WrongResult, found
		}
		rank, known := severity[status]
		if !known { // from a newer minor version: a failure until shown otherwise
			rank = 7
		}
		if rank > worst {
			worst, c.status, c.reason = rank, status, reason
		}
	}
	if !mayRate(c.status) {
		return
	}
	for _, t := range c.trials {
		if !mayRate(t.Status) {
			continue
		}
		if l, ok := newLaunch(t); ok {
			c.launches = append(c.launches, l)
		}
	}
	if len(c.launches) == 0 {
		c.status, c.reason = c.nothingLeft()
		return
	}
	if reason := c.abovePeak(devices); reason != "" {
		c.status, c.reason = result.AbovePeak, reason
	}
}

// compareDigests finds trials whose outputs differ from those of other counts or
// launches although the problem is the same (class D0). The digest of the smallest
// count's majority is taken as right.
func compareDigests(res *result.Result) map[*result.Trial]string {
	type problem struct {
		result.Key
		total int64
		count int    // 0 unless the digest may depend on it
		class string // models and drivers: only equal ones promise equal bits
	}
	groups := map[problem][]*result.Trial{}
	for i := range res.Trials {
		t := &res.Trials[i]
		if t.Digest == "" || !mayRate(t.Status) {
			continue
		}
		p := problem{Key: t.Key, total: t.Total, class: deviceClass(res, t)}
		if t.CountDependent {
			p.count = t.Count
		}
		groups[p] = append(groups[p], t)
	}
	wrong := map[*result.Trial]string{}
	for _, trials := range groups {
		want, count := rightDigest(trials)
		for _, t := range trials {
			if t.Digest != want {
				wrong[t] = fmt.Sprintf("outputs on %d differ from those on %d (digest %.16s against %.16s)", t.Count, count, t.Digest, want)
			}
		}
	}
	return wrong
}

// deviceClass names the models and drivers of a trial's devices, each once.
func deviceClass(res *result.Result, t *result.Trial) string {
	var models []string
	for _, i := range t.Devices {
		if i >= 0 && i < len(res.Devices) {
			models = append(models, res.Devices[i].Name+"|"+res.Devices[i].Driver)
		}
	}
	slices.Sort(models)
	return strings.Join(slices.Compact(models), "+")
}

func rightDigest(trials []*result.Trial) (digest string, count int) {
	count = slices.MinFunc(trials, func(a, b *result.Trial) int { return cmp.Compare(a.Count, b.Count) }).Count
	votes := map[string]int{}
	for _, t := range trials {
		if t.Count == count {
			votes[t.Digest]++
		}
	}
	for d, n := range votes {
		if n > votes[digest] || n == votes[digest] && d < digest {
			digest = d
		}
	}
	return digest, count
}
