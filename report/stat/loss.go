package stat

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/report/result"
)

// identityTolerance of the self-check A1: the factors multiply to the efficiency.
const identityTolerance = 1e-9

// sums are one launch's times over its valid samples, per sample: all four from
// the same samples, or their product would not be the efficiency (A2).
type sums struct {
	total    float64 // sum over devices of U_i
	largest  float64 // max over devices of U_i
	active   float64 // max over devices of U_i + C_i
	critical float64
	device   float64
	wall     float64
}

func (a *sums) add(b sums) {
	a.total += b.total
	a.largest += b.largest
	a.active += b.active
	a.critical += b.critical
	a.device += b.device
	a.wall += b.wall
}

// sum adds up a launch; ok is false without device times for every sample.
func (l launch) sum() (s sums, ok bool) {
	t := l.trial
	if len(t.Times) == 0 || len(t.Times) != len(t.Samples) {
		return s, false
	}
	compute, transfer := make([]float64, t.Count), make([]float64, t.Count)
	valid := 0.0
	for i, times := range t.Times {
		if !usable(t.Samples[i]) {
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
		valid++
	}
	for d := range compute {
		s.total += compute[d]
		s.largest = max(s.largest, compute[d])
		s.active = max(s.active, compute[d]+transfer[d])
	}
	for _, x := range []*float64{&s.total, &s.largest, &s.active, &s.critical, &s.device, &s.wall} {
		*x /= valid
	}
	return s, s.total > 0 && s.critical > 0 && s.device > 0
}

// soloSums are the times of each device alone, the mean over its launches.
func (s *series) soloSums() (own map[int]sums, all sums, work float64, ok bool) {
	n, launches := map[int]float64{}, 0.0
	own = map[int]sums{}
	for _, r := range s.refs {
		if r.share != 1 {
			return nil, all, 0, false
		}
		one, ok := r.sum()
		if !ok {
			continue
		}
		x := own[r.device]
		x.add(one)
		own[r.device] = x
		n[r.device]++
		all.add(one)
		launches++
		work += r.work()
	}
	if launches == 0 {
		return nil, all, 0, false
	}
	for d, x := range own {
		own[d] = x.over(n[d])
	}
	return own, all.over(launches), work / launches, true
}

func (a sums) over(n float64) sums {
	return sums{a.total / n, a.largest / n, a.active / n, a.critical / n, a.device / n, a.wall / n}
}

// harmonic is the reference of a team: the harmonic mean of its devices alone
// (S8, A3), or of all devices where one of them was not measured alone.
func harmonic(own map[int]sums, all sums, devices []int) sums {
	var inv sums
	for _, d := range devices {
		x, ok := own[d]
		if !ok {
			return all
		}
		inv.add(sums{1 / x.total, 1 / x.largest, 1 / x.active, 1 / x.critical, 1 / x.device, 1 / x.wall})
	}
	n := float64(len(devices))
	if n == 0 {
		return all
	}
	return sums{n / inv.total, n / inv.largest, n / inv.active, n / inv.critical, n / inv.device, n / inv.wall}
}

// lose splits 1 - efficiency of c into causes (measurement.md 3.3). nil with a
// reason where it cannot be attributed; broken if the identity A1 does not hold,
// which is a fault of this program.
func (s *series) lose(c *cell) (lost *result.Lost, reason string, broken bool) {
	own, all, soloWork, ok := s.soloSums()
	if !ok {
		return nil, "no device clock on the one-device rows", false
	}
	var team, ref sums
	var issued, soloIssued, work, launches float64
	known := true // the work really done, everywhere
	for _, l := range c.launches {
		one, ok := l.sum()
		if !ok {
			return nil, "no usable device clock", false
		}
		team.add(one)
		ref.add(harmonic(own, all, l.trial.Devices))
		work += l.work()
		issued += l.trial.Work.Issued
		known = known && l.trial.Work.Issued > 0
		launches++
	}
	if launches == 0 {
		return nil, "no usable launch", false
	}
	for _, r := range s.refs {
		soloIssued += r.trial.Work.Issued / float64(len(s.refs))
		known = known && r.trial.Work.Issued > 0
	}
	n, ratio := float64(c.count), work/launches/soloWork
	f, ok := factorsOf(team, ref, n)
	if !ok {
		return nil, "the device clocks disagree with the host clock", false
	}
	f.scale = ratio * ref.total / team.total
	if known {
		w := soloIssued * launches / issued * ratio
		f.work = &w
	}
	// The efficiency of the same times, by another way: from rates.
	efficiency := (work / team.wall) / (n * launches * soloWork / ref.wall)
	if e := f.product(); !(math.Abs(e-efficiency) < identityTolerance) {
		return nil, fmt.Sprintf("internal: factors multiply to %.12g, the efficiency is %.12g", e, efficiency), true
	}
	return f.points(), "", false
}

// factors relative to the reference; their product is the efficiency.
type factors struct {
	balance, transfer, orchestration, scale float64
	serialization                           *float64 // nil in the fall-back form
	work                                    *float64 // part of scale
}

// factorsOf gives the form with phases, or, where the phases do not add up
// because they overlap (A4), that of TALP (3.2) without them. ok is false if that
// exceeds the wall time too.
func factorsOf(team, ref sums, n float64) (f factors, ok bool) {
	const slack = 1 + 1e-6 // rounding of clocks
	f.balance = team.total / (n * team.largest) / (ref.total / ref.largest)
	if team.device <= team.wall*slack && ref.device <= ref.wall*slack &&
		team.largest <= team.critical*slack && team.critical <= team.device*slack {
		serial := team.largest / team.critical / (ref.largest / ref.critical)
		f.serialization = &serial
		f.transfer = team.critical / team.device / (ref.critical / ref.device)
		f.orchestration = team.device / team.wall / (ref.device / ref.wall)
		return f, true
	}
	f.transfer = team.largest / team.active / (ref.largest / ref.active)
	f.orchestration = team.active / team.wall / (ref.active / ref.wall)
	return f, team.active <= team.wall*slack && ref.active <= ref.wall*slack
}

func (f factors) product() float64 {
	p := f.balance * f.transfer * f.orchestration * f.scale
	if f.serialization != nil {
		p *= *f.serialization
	}
	return p
}

// points turns factors into parts of 1 - E in log space, so that they add up:
// ln(x)/ln(E) (1-E), with the limit -ln(x) at E = 1 (A6).
func (f factors) points() *result.Lost {
	e := f.product()
	unit := -1.0
	if math.Abs(e-1) > 1e-12 {
		unit = (1 - e) / math.Log(e)
	}
	loss := func(x float64) *float64 {
		v := math.Log(x) * unit
		return &v
	}
	lost := &result.Lost{Imbalance: loss(f.balance), Transfer: loss(f.transfer), Orchestration: loss(f.orchestration)}
	if f.serialization != nil {
		lost.Serialization = loss(*f.serialization)
	}
	rest := f.scale // clocks are not known here, so rate holds them (A7)
	if f.work != nil {
		lost.Work = loss(*f.work)
		rest /= *f.work
	}
	lost.Rate = loss(rest)
	return lost
}
