package sensor

import (
	"slices"
	"time"
)

// share is the most of a launch's time that reading between its samples may take.
const share = 0.02

// Launch reads the clocks of a team between the samples of one launch. Between them
// the devices have just stopped and keep their clock for much longer than a reading
// takes, while no call into the driver can meet a timed region. So this is where the
// clock under load is read, and not on another thread.
type Launch struct {
	devices []*Device
	now     func() time.Time
	ready   time.Time // not before
	samples int
	done    float64 // iterations since the launch began
	taken   []between
}

// between is one reading of all devices after a sample.
type between struct {
	sample   int     // how many samples came before it
	done     float64 // iterations before it
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
	l.samples++
	l.done += float64(iterations)
	if l.now().Before(l.ready) {
		return
	}
	l.take()
}

func (l *Launch) take() {
	started := l.now()
	b := between{sample: l.samples, done: l.done, readings: make([]Reading, len(l.devices))}
	for i, d := range l.devices {
		b.readings[i] = d.Read(ClockOnly)
	}
	ended := l.now()
	l.ready = ended.Add(time.Duration(float64(ended.Sub(started)) * (1 - share) / share))
	l.taken = append(l.taken, b)
}

// Summary is what the sensors said while the samples of a launch were taken.
type Summary struct {
	// Clock is the median SM clock of each device, Hz; 0: no such sensor.
	Clock []float64
	// Readings is how many of them there are.
	Readings int
	// Invalid holds, by sample, the reasons that spoil it, for each device. Absent
	// samples are sound, or nothing was read since.
	Invalid map[int][]Throttle
	// Capped is after how many readings a device was at its power limit.
	Capped int
	// Joules per iteration over all devices, and over how many seconds the counters
	// ran; 0 where a device has no energy counter.
	Joules, Seconds float64
}

// Summarize takes a last reading and evaluates those after the last samples of the
// launch: what came before was warm-up.
func (l *Launch) Summarize(samples int) Summary {
	l.take()
	first := l.samples - samples // samples before the first one that counts
	out := Summary{Clock: make([]float64, len(l.devices)), Invalid: map[int][]Throttle{}}
	clocks := make([][]float64, len(l.devices))
	previous := first
	var start *between
	for i := range l.taken {
		b := &l.taken[i]
		if b.sample < first {
			continue
		}
		if start == nil { // energy from here on is that of samples
			start = b
		}
		if b.sample == first {
			continue
		}
		out.Readings++
		var all Throttle
		reasons := make([]Throttle, len(l.devices))
		for k := range b.readings {
			if hz, ok := b.readings[k].Value(SMClock); ok {
				clocks[k] = append(clocks[k], hz)
			}
			t, _ := b.readings[k].Throttle()
			all |= t
			reasons[k] = t & Spoils
		}
		if all&PowerCap != 0 {
			out.Capped++
		}
		for s := previous; all&Spoils != 0 && s < b.sample; s++ {
			out.Invalid[s-first] = reasons
		}
		previous = b.sample
	}
	for k, list := range clocks {
		out.Clock[k] = median(list)
	}
	out.energy(start, &l.taken[len(l.taken)-1])
	return out
}

// energy is the difference of the counters between two readings.
func (s *Summary) energy(from, to *between) {
	if from == nil || !(to.done > from.done) {
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
