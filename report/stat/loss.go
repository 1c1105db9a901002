package stat

import (
	"math"

	"github.com/amgpu/amgpu/report/result"
)

// sums are one launch's times over its valid samples, per sample: all four from
// the same samples, or their product would not be the efficiency (A2).
type sums struct {
	total    float64 // sum over devices of U_i
	largest  float64 // max over devices of U_i
	active   float64 // max over devices of U_i + C_i
	critical float64
	device   float64
	wall     float64
	cycles   float64 // sum over devices of U_i f_i; 0: a clock is not known
}

func (a *sums) add(b sums) {
	a.total += b.total
	a.largest += b.largest
	a.active += b.active
	a.critical += b.critical
	a.device += b.device
	a.wall += b.wall
	a.cycles += b.cycles
}

// sum adds up a launch; ok is false without device times for every sample. over is
// the unit of the clocks, see cycles.
func (l launch) sum(over func(device int) float64) (s sums, ok bool) {
	t := l.trial
	if t.Times.Len() == 0 || t.Times.Len() != len(t.Samples) {
		return s, false
	}
	compute, transfer := make([]float64, t.Count), make([]float64, t.Count)
	used, valid := 0.0, t.Valid()
	for i, times := range t.Times.All() {
		if !usable(t.Samples[i]) || !valid.Of(i) {
			continue
		}
		if len(times.Compute) != t.Count || len(times.Transfer) != t.Count {
			return s, false
		}
		for d := range compute {
			compute[d] += times.Compute[d]
			transfer[d] += times.Transfer[d]
		}
		s.critical += times.Critical
		s.device += times.Device
		s.wall += t.Samples[i]
		used++
	}
	if used == 0 {
		return s, false
	}
	for d := range compute {
		s.total += compute[d]
		s.largest = max(s.largest, compute[d])
		s.active = max(s.active, compute[d]+transfer[d])
	}
	s.cycles = cycles(t, compute, over)
	for _, x := range []*float64{&s.total, &s.largest, &s.active, &s.critical, &s.device, &s.wall, &s.cycles} {
		*x /= used
	}
	return s, s.total > 0 && s.critical > 0 && s.device > 0
}

// over divides by n.
func (a sums) over(n float64) sums { return a.times(1 / n) }

func (a sums) times(x float64) sums {
	return sums{a.total * x, a.largest * x, a.active * x, a.critical * x, a.device * x, a.wall * x, a.cycles * x}
}

// each combines two sums part by part.
func (a sums) each(b sums, f func(x, y float64) float64) sums {
	return sums{f(a.total, b.total), f(a.largest, b.largest), f(a.active, b.active),
		f(a.critical, b.critical), f(a.device, b.device), f(a.wall, b.wall), f(a.cycles, b.cycles)}
}

// yardstick is what the base of a series took: the times of each device alone and
// of all launches, or those of the smallest count when none ran alone (S1).
type yardstick struct {
	own    map[int]sums // mean over the launches of a device alone
	all    sums         // mean over all launches
	work   float64      // mean of one iteration
	issued float64      // mean work really done; 0: not known for all
	count  float64      // devices in it
	each   []timed
}

// timed is one base launch with device times.
type timed struct {
	device int
	sums
}

// measureBase makes the yardstick of s; ok is false without device times.
func (s *series) measureBase() (y yardstick, ok bool) {
	n := map[int]float64{}
	y.own = map[int]sums{}
	known, clocked := true, true
	for _, r := range s.refs {
		if y.count == 0 {
			y.count = r.share
		}
		one, ok := r.sum(nil)
		if !ok || r.share != y.count {
			continue
		}
		x := y.own[r.device]
		x.add(one)
		y.own[r.device] = x
		n[r.device]++
		y.all.add(one)
		y.work += r.work()
		y.issued += r.trial.Work.Issued
		known = known && r.trial.Work.Issued > 0
		clocked = clocked && one.cycles > 0
		y.each = append(y.each, timed{r.device, one})
	}
	launches := float64(len(y.each))
	if launches == 0 {
		return y, false
	}
	for d, x := range y.own {
		if !clocked {
			x.cycles = 0
		}
		y.own[d] = x.over(n[d])
	}
	if !clocked {
		y.all.cycles = 0
	}
	y.all, y.work, y.issued = y.all.over(launches), y.work/launches, y.issued/launches
	if !known {
		y.issued = 0
	}
	return y, true
}

// harmonic is the reference of a team: the harmonic mean of its devices alone
// (S8, A3), or of all launches where one of them was not measured alone.
//
// Its clocks are the unit of those of the team, so that cycles are compute time.
func (y *yardstick) harmonic(devices []int) sums {
	ref := y.mean(devices)
	ref.cycles = ref.total
	return ref
}

func (y *yardstick) mean(devices []int) sums {
	var inv sums
	for _, d := range devices {
		x, ok := y.own[d]
		if !ok || d < 0 {
			return y.all
		}
		inv.add(x.each(x, func(v, _ float64) float64 { return 1 / v }))
	}
	n := float64(len(devices))
	if n == 0 {
		return y.all
	}
	return inv.each(inv, func(v, _ float64) float64 { return n / v })
}

// points turns factors relative to their base into parts of 1 - E in log space, so
// that they add up: ln(x)/ln(E) (1-E), with the limit -ln(x) at E = 1 (A6).
func (e *evidence) points(f factorSet) *result.Lost {
	product := 1.0
	for _, k := range causes {
		product *= f[k]
	}
	unit := -1.0
	if math.Abs(product-1) > 1e-12 {
		unit = (1 - product) / math.Log(product)
	}
	loss := func(k int) *float64 {
		v := math.Log(f[k]) * unit
		return &v
	}
	lost := &result.Lost{Imbalance: loss(loadBalance), Transfer: loss(transferring), Orchestration: loss(orchestration), Rate: loss(rating)}
	if e.phased {
		lost.Serialization = loss(serialization)
	}
	if e.issued > 0 {
		lost.Work = loss(working)
	}
	if e.clocked { // otherwise rate holds the clock (A7)
		lost.Clock = loss(clocking)
	}
	return lost
}
