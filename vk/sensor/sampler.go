package sensor

import (
	"sync"
	"time"
)

// maxKept bounds the readings kept of one device. When it is reached neighbours are
// merged and the interval doubles, so that a run of any length has between half as
// many readings and this many, evenly spread.
const maxKept = 2048

// samplerShare is the most of the time that a sampler spends reading.
const samplerShare = 0.05

// Sampler reads sensors at an interval on a goroutine of its own.
type Sampler struct {
	devices []*Device
	only    Only
	turn    sync.Locker
	stop    chan struct{}
	done    sync.WaitGroup

	tracks   []Track
	interval time.Duration
	cost     time.Duration // longest reading of all devices
}

// Track is the readings of one device, oldest first; empty without sensors.
type Track struct {
	Device   *Device
	Readings []Reading
}

// Start begins to read all devices every interval, until Stop, or less often where
// reading would take too much of the time. Readings take turns with whoever holds
// turn: reading takes locks of the driver, and made 7 of 60 samples of 11.5 ms on two
// H200 outliers when it met them.
func (s *Set) Start(interval time.Duration, only Only, turn sync.Locker) *Sampler {
	r := &Sampler{devices: s.Devices, only: only, turn: turn, stop: make(chan struct{}), interval: interval}
	for _, d := range s.Devices {
		r.tracks = append(r.tracks, Track{Device: d})
	}
	r.done.Go(r.run)
	return r
}

func (r *Sampler) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-r.stop:
			return
		case <-timer.C:
		}
		every, cost := r.read()
		timer.Reset(max(every-cost, time.Duration(float64(cost)*(1-samplerShare)/samplerShare)))
	}
}

// read takes one reading of every device and returns the interval to the next and
// what this one cost.
func (r *Sampler) read() (interval, cost time.Duration) {
	readings := make([]Reading, len(r.devices))
	r.turn.Lock()
	started := time.Now()
	for i, d := range r.devices {
		readings[i] = d.Read(r.only)
	}
	cost = time.Since(started)
	r.turn.Unlock()
	r.cost = max(r.cost, cost)
	full := false
	for i := range r.tracks {
		if !readings[i].Empty() {
			r.tracks[i].Readings = append(r.tracks[i].Readings, readings[i])
		}
		full = full || len(r.tracks[i].Readings) >= maxKept
	}
	if full {
		for i := range r.tracks {
			r.tracks[i].Readings = halved(r.tracks[i].Readings)
		}
		r.interval *= 2
	}
	return r.interval, cost
}

// halved merges neighbours in place.
func halved(list []Reading) []Reading {
	out := list[:0]
	for i := 0; i+1 < len(list); i += 2 {
		out = append(out, merged(&list[i], &list[i+1]))
	}
	if len(list)%2 == 1 {
		out = append(out, list[len(list)-1])
	}
	return out
}

// Stop ends reading, after one last reading, and returns what was read with the
// interval it has come to and the longest time one reading of all devices took.
func (r *Sampler) Stop() (tracks []Track, interval, cost time.Duration) {
	close(r.stop)
	r.done.Wait()
	r.read()
	return r.tracks, r.interval, r.cost
}
