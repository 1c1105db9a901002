package stat

import "github.com/amgpu/amgpu/report/result"

// Row is one row with the values that a comparison of two results rests on.
type Row struct {
	result.Summary
	Device int // of a solo row, else -1
	Trials []*result.Trial
	// Times are the launch medians in seconds, Efficiencies the same launches over
	// the one-device rate of their block (without one, over the median of all);
	// empty where the row has no rate or nothing to be compared with.
	Times        []float64
	Efficiencies []float64
	// Clocks are the mean shader clocks of the same launches in Hz; empty unless
	// that of each is known.
	Clocks []float64
}

// Rows recomputes all rows of res from its trials, without laws and without
// looking at the stored summary.
func Rows(res *result.Result) []Row {
	all := group(res)
	wrong := compareDigests(res)
	solos := map[soloKey][]launch{}
	for _, s := range all {
		for _, c := range s.cells {
			s.judge(c, wrong)
			if s.key.Mode == "solo" {
				solos[soloOf(s.key)] = append(solos[soloOf(s.key)], c.launches...)
			}
		}
	}
	sums := make([][]Row, len(all))
	inParallel(len(all), func(i int) {
		s := all[i]
		s.refer(solos[soloOf(s.key)])
		for _, c := range s.cells {
			summary, sc := s.row(c)
			r := Row{Summary: summary, Device: c.device, Trials: c.trials}
			for _, l := range c.launches {
				r.Times = append(r.Times, l.seconds)
				if summary.Clock != nil {
					r.Clocks = append(r.Clocks, clock(l.trial))
				}
			}
			if summary.Efficiency != nil && !s.pooled {
				r.Efficiencies = s.efficiencies(c, sc)
			}
			sums[i] = append(sums[i], r)
		}
	})
	var out []Row
	for _, rows := range sums {
		out = append(out, rows...)
	}
	return out
}

// efficiencies is the efficiency of each launch of c.
func (s *series) efficiencies(c *cell, sc scaling) []float64 {
	var num, den []float64
	if sc.uneven && sc.covered && !s.blocks(c) {
		num, den = s.normalised(c, s.solo)
	} else {
		num, den, _ = s.perLaunch(c)
	}
	common := Median(den)
	for i := range num {
		if len(num) == len(den) {
			num[i] /= den[i]
		} else {
			num[i] /= common
		}
	}
	return num
}
