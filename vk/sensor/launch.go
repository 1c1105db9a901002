package sensor

import (
	"slices"
	"time"
)

// share is the most of a launch's time that reading between its samples may take;
// energyEvery is how often the counters of energy and errors are read, which takes
// longer.
const (
	share       = 0.02
	energyEvery = time.Second
)

// Launch reads the clocks of a team between the samples of one launch. Between them
// the devices have just stopped and keep their clock for much longer than a reading
// takes, while no call into the driver can meet a timed region. So this is where the
// clock under load is read, and not on another thread.
type Launch struct {
	devices []*Device
	now     func() time.Time
	ready   time.Time // not before
	metered time.Time // when the energy counters were read last
	done    float64   // iterations since the launch began
	taken   []between
}

// between is one reading of all devices after a sample.
type between struct {
	at       time.Time
	done     float64 // iterations before it
	metered  bool    // energy and errors were read
	readings []Reading
}

// NewLaunch watches the devices given; nil where none has sensors.
func NewLaunch(devices []*Device) *Launch {
	if !slices.ContainsFunc(devices, func(d *Device) bool { return d.from != nil }) {
		return nil
	}
	return &Launch{devices: devices, now: time.Now}
}

// After notes that a sample of so many iterations ended and reads the sensors, unless
// that would take too large a share of the time. It is called between samples.
func (l *Launch) After(iterations int) {
	l.done += float64(iterations)
	if !l.now().Before(l.ready) {
		l.take(false)
	}
}

// take reads all devices, the energy counters when they are due or last.
func (l *Launch) take(last bool) {
	b := between{at: l.now(), done: l.done, readings: make([]Reading, len(l.devices))}
	only := ClockOnly
	if last || l.metered.IsZero() || b.at.Sub(l.metered) >= energyEvery {
		only |= EnergyOnly | ErrorsOnly
		b.metered, l.metered = true, b.at
	}
	for i, d := range l.devices {
		b.readings[i] = d.Read(only)
	}
	ended := l.now()
	l.ready = ended.Add(time.Duration(float64(ended.Sub(b.at)) * (1 - share) / share))
	l.taken = append(l.taken, b)
}

// from is the index of the first reading at or after a time.
func (l *Launch) from(at time.Time) int {
	i, _ := slices.BinarySearchFunc(l.taken, at, func(b between, at time.Time) int { return b.at.Compare(at) })
	return i
}

// Spoiled returns, for each device, what spoils a sample that began at a time: the
// reasons of the first reading since. nil: nothing does, or nothing was read yet.
func (l *Launch) Spoiled(begin time.Time) []Throttle {
	i := l.from(begin)
	if i == len(l.taken) {
		return nil
	}
	out := make([]Throttle, len(l.devices))
	some := false
	for k := range l.taken[i].readings {
		t, _ := l.taken[i].readings[k].Throttle()
		out[k] = t & Spoils
		some = some || out[k] != 0
	}
	if !some {
		return nil
	}
	return out
}

// Spread is how far apart the SM clocks of one device were read between begin and
// end, as a fraction of their median and for the device where it is largest; 0 where
// fewer than two readings fall into that time.
func (l *Launch) Spread(begin, end time.Time) float64 {
	spread := 0.0
	for k := range l.devices {
		var clocks []float64
		for _, b := range l.taken[l.from(begin):] {
			if hz, ok := b.readings[k].Value(SMClock); ok && !b.at.After(end) {
				clocks = append(clocks, hz)
			}
		}
		if mid := median(clocks); mid > 0 { // sorts
			spread = max(spread, (clocks[len(clocks)-1]-clocks[0])/mid)
		}
	}
	return spread
}

// Summary is what the sensors said while the samples of a launch were taken.
type Summary struct {
	// Clock is the median SM clock of each device, Hz; 0: no such sensor.
	Clock []float64
	// Readings is how many of them there are, Capped after how many of them a device
	// was at its power limit.
	Readings, Capped int
	// Joules per iteration over all devices, and over how many seconds the counters
	// ran; 0 where a device has no energy counter.
	Joules, Seconds float64
	// Errors are the uncorrected memory errors of each device meanwhile.
	Errors []int
}

// Summarize takes a last reading and evaluates those since begin, when the first
// sample began: what came before was warm-up.
func (l *Launch) Summarize(begin time.Time) Summary {
	l.take(true)
	first := l.from(begin)
	out := Summary{Clock: make([]float64, len(l.devices)), Readings: len(l.taken) - first}
	clocks := make([][]float64, len(l.devices))
	for _, b := range l.taken[first:] {
		capped := false
		for k := range b.readings {
			if hz, ok := b.readings[k].Value(SMClock); ok {
				clocks[k] = append(clocks[k], hz)
			}
			t, _ := b.readings[k].Throttle()
			capped = capped || t&PowerCap != 0
		}
		if capped {
			out.Capped++
		}
	}
	for k, list := range clocks {
		out.Clock[k] = median(list)
	}
	// The work since a reading of the warm-up is that of the samples and of those of
	// the warm-up that followed it, which do the same.
	start := max(first-1, 0)
	for start > 0 && !l.taken[start].metered {
		start--
	}
	from, to := &l.taken[start], &l.taken[len(l.taken)-1]
	out.energy(from, to)
	for k := range l.devices {
		a, okA := from.readings[k].Value(MemoryErrors)
		b, okB := to.readings[k].Value(MemoryErrors)
		n := 0
		if okA && okB && b > a {
			n = int(b - a)
		}
		out.Errors = append(out.Errors, n)
	}
	return out
}

// energy is the difference of the counters between two readings.
func (s *Summary) energy(from, to *between) {
	if !(to.done > from.done) {
		return
	}
	sum := 0.0
	for k := range from.readings {
		a, okA := from.readings[k].Value(Energy)
		b, okB := to.readings[k].Value(Energy)
		if !okA || !okB || b < a { // no counter, or the driver was loaded anew
			return
		}
		sum += b - a
	}
	s.Joules = sum / (to.done - from.done)
	s.Seconds = to.readings[0].At.Sub(from.readings[0].At).Seconds()
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}
