package stat

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/report/result"
)

// identityTolerance of the self-check A1: the factors multiply to the efficiency.
const identityTolerance = 1e-9

// IdentityBroken is the warning of a row whose factors do not multiply to its
// efficiency, which is a fault of this program: the row has neither.
const IdentityBroken = "attribution-identity"

// A factorSet is the efficiency of one row as a product (measurement.md 3.3).
type factorSet [factorCount]float64

const (
	loadBalance = iota
	serialization
	transferring
	orchestration
	working
	clocking
	rating
	parallel    // the first four
	computation // the next three
	global      // all of them
	factorCount
)

// causes are the factors whose product is the global efficiency.
var causes = []int{loadBalance, serialization, transferring, orchestration, working, clocking, rating}

// split gives the factors of a team of n devices against ref, which did 1/ratio of
// its work. work and clock are the changes of the work really done and of the
// clock, 1 if not known. Without phases it is the form of 3.2, which has no
// serialization. The formulas are those of POP (bsc-performance-tools/basicanalysis
// modelfactors.py); orchestration and the fall-back are those of TALP (bsc-pm/dlb).
func split(team, ref sums, n, ratio, work, clock float64, phased bool) factorSet {
	f := factorSet{loadBalance: team.total / (n * team.largest), working: work, clocking: clock,
		computation: ratio * ref.total / team.total}
	if phased {
		f[serialization] = team.largest / team.critical
		f[transferring] = team.critical / team.device
		f[orchestration] = team.device / team.wall
	} else {
		f[serialization] = 1
		f[transferring] = team.largest / team.active
		f[orchestration] = team.active / team.wall
	}
	f[rating] = f[computation] / (work * clock)
	f[parallel] = f[loadBalance] * f[serialization] * f[transferring] * f[orchestration]
	f[global] = f[parallel] * f[working] * f[clocking] * f[rating]
	return f
}

// evidence is what the factors of one row are made from.
type evidence struct {
	team, refs []sums // per launch: its times, and its devices' at the base
	base       []sums // base launches over their means: how they scatter
	n, n0      float64
	ratio      float64 // work over that of the base
	work       float64 // change of the work really done over ratio; 1: not known
	issued     float64 // 0: not known
	phased     bool
	clocked    bool // the clock of every device is known, here and at the base
}

// gather collects the evidence of c; the reason says why there is none.
func (s *series) gather(c *cell) (e *evidence, reason string) {
	if s.yard == nil {
		return nil, "no device clock on the one-device rows"
	}
	y := s.yard
	e = &evidence{n: float64(c.count), n0: y.count, work: 1, clocked: y.all.cycles > 0}
	used := map[int]bool{}
	work, known := 0.0, y.issued > 0
	for _, l := range c.launches {
		one, ok := l.sum(y.clockOf)
		if !ok {
			return nil, "no usable device clock"
		}
		e.team, e.refs = append(e.team, one), append(e.refs, y.harmonic(l.trial.Devices))
		for _, d := range l.trial.Devices {
			used[d] = true
		}
		e.clocked = e.clocked && one.cycles > 0
		work += l.work()
		e.issued += l.trial.Work.Issued
		known = known && l.trial.Work.Issued > 0
	}
	launches := float64(len(e.team))
	if launches == 0 {
		return nil, "no usable launch"
	}
	e.ratio, e.issued = work/launches/y.work, e.issued/launches
	if known {
		e.work = y.issued / e.issued * e.ratio
	} else {
		e.issued = 0
	}
	e.base = s.scatter(s.uneven(c), used)
	team, ref := sumOf(e.team), sumOf(e.refs)
	e.phased = inPhases(team) && inPhases(ref)
	if !e.phased && !(active(team) && active(ref)) {
		return nil, "the device clocks disagree with the host clock"
	}
	return e, ""
}

// scatter gives the base launches over their mean: of all of them, or on unequal
// devices each over the mean of its own device and only for devices used.
func (s *series) scatter(uneven bool, used map[int]bool) []sums {
	var out []sums
	over := func(x, y float64) float64 { return x / y }
	for _, t := range s.yard.each {
		switch {
		case !uneven:
			out = append(out, t.each(s.yard.all, over))
		case used[t.device]:
			out = append(out, t.each(s.yard.own[t.device], over))
		}
	}
	return out
}

func sumOf(list []sums) (total sums) {
	for _, x := range list {
		total.add(x)
	}
	return total.over(float64(len(list)))
}

// slack is the rounding of clocks.
const slack = 1 + 1e-6

// inPhases tells whether phases are separated, so that they add up (A4).
func inPhases(a sums) bool {
	return a.device <= a.wall*slack && a.largest <= a.critical*slack && a.critical <= a.device*slack
}

// active tells whether the busiest device fits into the wall time.
func active(a sums) bool { return a.active <= a.wall*slack }

// factors of a row with n0 devices in its base, and those relative to the base.
func (e *evidence) factors(team, ref sums) (f, relative factorSet) {
	f = split(team, ref, e.n, e.ratio, e.work, e.clockScale(team, ref), e.phased)
	base := split(ref, ref, e.n0, 1, 1, 1, e.phased)
	for k := range f {
		relative[k] = f[k] / base[k]
	}
	return f, relative
}

// lose splits 1 - efficiency of c into causes (measurement.md 3.3). nil with a
// reason where it cannot be attributed; broken if the identity A1 does not hold,
// which is a fault of this program.
func (s *series) lose(c *cell) (lost *result.Lost, table *result.Factors, reason string, broken bool) {
	e, reason := s.gather(c)
	if e == nil {
		return nil, nil, reason, false
	}
	team, ref := sumOf(e.team), sumOf(e.refs)
	f, relative := e.factors(team, ref)
	// The efficiency of the same times, by another way: from rates (A1, A2).
	efficiency := (e.ratio / team.wall) / (e.n / e.n0 / ref.wall)
	if got := relative[global]; !identical(got, efficiency) {
		return nil, nil, fmt.Sprintf("internal: factors multiply to %.12g, the efficiency is %.12g", got, efficiency), true
	}
	return e.points(relative), e.table(f, c), "", false
}

// identical is the self-check A1; NaN fails it.
func identical(product, efficiency float64) bool {
	return math.Abs(product-efficiency) < identityTolerance*max(1, efficiency)
}

// baseFactors are those of the row that the others are compared with.
func (s *series) baseFactors(c *cell) *result.Factors {
	e, _ := s.gather(c)
	if e == nil {
		return nil
	}
	e.refs, e.ratio, e.work, e.n0 = e.team, 1, 1, e.n
	e.base = nil
	f, _ := e.factors(sumOf(e.team), sumOf(e.team))
	return e.table(f, c)
}
