package stat

import (
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// reference is a rate of one device measured alone in this occasion, or of one
// device's part of the smallest count when no row has one device.
type reference struct {
	launch
	device int // -1: not one device
	share  float64
}

func (r reference) rate() float64 { return r.launch.rate() / r.share }

func (r reference) rates() []float64 {
	out := r.launch.rates()
	for i := range out {
		out[i] /= r.share
	}
	return out
}

// refer collects the references of s: solo trials of the same problem and its own
// one-device rows; failing these, its smallest count (measurement.md S1).
func (s *series) refer(solos []launch) {
	if s.key.Mode == "solo" {
		return
	}
	add := func(l launch, count int) {
		r := reference{launch: l, device: -1, share: float64(count)}
		if count == 1 && len(l.trial.Devices) == 1 {
			r.device = l.trial.Devices[0]
		}
		s.refs = append(s.refs, r)
	}
	for _, l := range solos {
		add(l, 1)
	}
	for _, c := range s.cells {
		if c.count == 1 {
			for _, l := range c.launches {
				add(l, 1)
			}
		}
	}
	if len(s.refs) > 0 {
		s.base = 1
		s.sum()
		return
	}
	for _, c := range s.cells {
		if len(c.launches) > 0 {
			s.base = c.count
			for _, l := range c.launches {
				add(l, c.count)
			}
			s.sum()
			return
		}
	}
}

// sum computes what all cells need of the references.
func (s *series) sum() {
	rates := map[int][]float64{}
	for _, r := range s.refs {
		if r.device >= 0 {
			rates[r.device] = append(rates[r.device], s.observed(r.launch)...)
		}
	}
	s.solo = map[int]float64{}
	for d, xs := range rates {
		s.solo[d] = Median(xs)
	}
	if y, ok := s.measureBase(); ok {
		s.yard = &y
	}
}

// scaling is a cell's efficiency and how it was found.
type scaling struct {
	efficiency result.Value
	// values are per launch (quick: per sample) the speedup if relative, otherwise
	// the rate: what laws are fitted to.
	values  []float64
	uneven  bool // the devices of the teams differ
	covered bool // the ideal is the sum of solo rates of just these devices
}

// scale compares c with the sum of the solo rates of its devices (S7); for equal
// devices without solo rates that is its count times the one-device rate (2.1).
// ok is false without references.
func (s *series) scale(c *cell) (sc scaling, ok bool) {
	if len(s.refs) == 0 || len(c.launches) == 0 {
		return sc, false
	}
	alone := s.solo
	sc.uneven = s.uneven(c)
	sc.covered = true
	for _, l := range c.launches {
		if _, all := sumRates(alone, l.trial.Devices); !all {
			sc.covered = false
		}
	}
	var num, den []float64
	blocks := false
	switch {
	case sc.uneven && sc.covered && (s.pooled || !s.blocks(c)):
		num, den = s.normalised(c, alone)
	case s.pooled:
		num, den = s.pool(c)
	default:
		num, den, blocks = s.perLaunch(c)
	}
	if blocks && len(num) >= 6 {
		sc.efficiency, ok = PairedRatio(num, den)
	} else {
		sc.efficiency, ok = Ratio(num, den)
	}
	if len(num) == 1 && len(den) == 1 { // one value per count: plain ratio
		sc.efficiency.Low, sc.efficiency.High = nil, nil
	}
	if ok && sc.efficiency.Low == nil && !s.pooled {
		if e, few := TRatio(num, den, blocks); few {
			sc.efficiency = e
		}
	}
	sc.values = s.lawValues(c, alone, sc.uneven && sc.covered)
	return sc, ok
}

// perLaunch pairs each launch's rate per device with its block's solo rate. With
// six or more launches and all of them paired (complete) it is the paired form; otherwise
// the two-sample form, over all references if some block lacks one (S16).
func (s *series) perLaunch(c *cell) (num, den []float64, complete bool) {
	complete = true
	for _, l := range c.launches {
		num = append(num, l.rate()/float64(c.count))
		r, ok := s.inBlock(l.trial)
		complete = complete && ok
		den = append(den, r)
	}
	if !complete {
		den = nil
		for _, r := range s.refs {
			den = append(den, r.rate())
		}
	}
	return num, den, complete
}

// inBlock is the mean solo rate of a team in its block: of each of its devices if
// all were measured in it, else (equal devices) of any.
func (s *series) inBlock(t *result.Trial) (float64, bool) {
	var block []float64
	own := map[int][]float64{}
	for _, r := range s.refs {
		if sameBlock(r.trial, t) {
			block = append(block, r.rate())
			own[r.device] = append(own[r.device], r.rate())
		}
	}
	sum := 0.0
	for _, d := range t.Devices {
		if len(own[d]) == 0 {
			return mean(block), len(block) > 0
		}
		sum += mean(own[d])
	}
	if len(t.Devices) == 0 {
		return mean(block), len(block) > 0
	}
	return sum / float64(len(t.Devices)), true
}

// sameBlock tells whether two launches belong together. The sides of a self-test are
// pairs of their own: they may not share what they are compared with.
func sameBlock(a, b *result.Trial) bool { return a.Block == b.Block && a.Side == b.Side }

// blocks tells whether every block of c measured all its devices alone.
func (s *series) blocks(c *cell) bool {
	for _, l := range c.launches {
		for _, d := range l.trial.Devices {
			if !slices.ContainsFunc(s.refs, func(r reference) bool { return r.device == d && sameBlock(r.trial, l.trial) }) {
				return false
			}
		}
	}
	return true
}

// pool is the two-sample form over all samples, for the quick preset.
func (s *series) pool(c *cell) (num, den []float64) {
	for _, l := range c.launches {
		for _, x := range l.rates() {
			num = append(num, x/float64(c.count))
		}
	}
	for _, r := range s.refs {
		den = append(den, r.rates()...)
	}
	return num, den
}

// normalised divides by what the devices do alone, so that unequal devices can be
// pooled: teams by the sum over their devices, references by their own device.
func (s *series) normalised(c *cell, alone map[int]float64) (num, den []float64) {
	used := map[int]bool{}
	for _, l := range c.launches {
		ideal, _ := sumRates(alone, l.trial.Devices)
		for _, x := range s.observed(l) {
			num = append(num, x/ideal)
		}
		for _, d := range l.trial.Devices {
			used[d] = true
		}
	}
	for _, r := range s.refs {
		if used[r.device] {
			for _, x := range s.observed(r.launch) {
				den = append(den, x/alone[r.device])
			}
		}
	}
	return num, den
}

// observed is what one launch contributes: its samples' rates when pooled, the
// rate of its median otherwise.
func (s *series) observed(l launch) []float64 {
	if s.pooled {
		return l.rates()
	}
	return []float64{l.rate()}
}

// lawValues are the values a law is fitted to: rates, or for unequal devices the
// speedup over the mean solo rate of each team.
func (s *series) lawValues(c *cell, alone map[int]float64, relative bool) []float64 {
	var out []float64
	for _, l := range c.launches {
		scale := 1.0
		if relative {
			ideal, _ := sumRates(alone, l.trial.Devices)
			scale = float64(c.count) / ideal
		}
		for _, x := range s.observed(l) {
			out = append(out, x*scale)
		}
	}
	return out
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(max(1, len(xs)))
}
