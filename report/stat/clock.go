package stat

import "github.com/amgpu/amgpu/report/result"

// clock is the shader clock of a trial, the mean over its devices in Hz; 0 unless
// that of each is known.
func clock(t *result.Trial) float64 {
	if len(t.Clocks) != len(t.Devices) {
		return 0
	}
	for _, f := range t.Clocks {
		if !(f > 0) {
			return 0
		}
	}
	return mean(t.Clocks)
}

// clock is the median over launches; nil unless it is known for each.
func (c *cell) clock() *float64 {
	var all []float64
	for _, l := range c.launches {
		f := clock(l.trial)
		if f == 0 {
			return nil
		}
		all = append(all, f)
	}
	if len(all) == 0 {
		return nil
	}
	m := Median(all)
	return &m
}

// cycles is the sum over devices of U_i f_i of one launch, as POP defines cycles; 0
// where a clock is not known. over gives the clock that that of a device is divided
// by, nil for none: cycles are then in seconds of those clocks.
func cycles(t *result.Trial, compute []float64, over func(device int) float64) float64 {
	if clock(t) == 0 || len(compute) != len(t.Clocks) {
		return 0
	}
	sum := 0.0
	for i, u := range compute {
		f := t.Clocks[i]
		if over != nil {
			base := over(t.Devices[i])
			if !(base > 0) {
				return 0
			}
			f /= base
		}
		sum += u * f
	}
	return sum
}

// clockOf is the clock of a device at the base: its own where it was measured alone,
// otherwise that of all; 0: not known.
func (y *yardstick) clockOf(device int) float64 {
	if own, ok := y.own[device]; ok && device >= 0 {
		return own.clock()
	}
	return y.all.clock()
}

// clock is the mean clock while computing: cycles over compute time; 0: not known.
func (a sums) clock() float64 {
	if a.cycles > 0 && a.total > 0 {
		return a.cycles / a.total
	}
	return 0
}

// clockScale is f(N)/f(ref) of measurement.md 3.3, of sums whose cycles are relative
// to the clocks of the base; 1 where the evidence has no clocks.
func (e *evidence) clockScale(team, ref sums) float64 {
	if !e.clocked {
		return 1
	}
	return team.clock() / ref.clock()
}
