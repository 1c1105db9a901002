package partition

import (
	"fmt"
	"math"
)

// Latency divides so that the last device is done as early as possible: device d takes
// Start + n (1/Rate + Transfer) for n units, and nothing when it gets none. A device
// that starts too late gets none. With a hint everything goes to the device it names.
func Latency(r Request) ([]Share, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	granules := r.granules()
	out := make([]int64, r.Count)
	if h := r.Hint; h.Given {
		if h.Device < 0 || h.Device >= r.Count {
			return nil, fmt.Errorf("%w: the hint names device %d of %d", ErrRequest, h.Device, r.Count)
		}
		out[h.Device] = granules
		return r.shares(out), nil
	}
	if r.Count == 1 { // nobody to choose from: no rate is needed
		out[0] = granules
		return r.shares(out), nil
	}
	cost := make([]float64, r.Count) // seconds of a granule
	for i := range cost {
		if len(r.Devices) == 0 || !(r.Devices[i].Rate > 0) {
			return nil, fmt.Errorf("%w: the rate of device %d of the team is not known", ErrRequest, i+1)
		}
		d := r.Devices[i]
		cost[i] = (1/d.Rate + d.Transfer) * float64(max(r.Granule, 1))
	}
	// fill gives everyone what it can do until t.
	fill := func(t float64) (sum int64) {
		for i, d := range r.Devices {
			out[i] = int64(min(max(math.Floor((t-d.Start)/cost[i]*(1+1e-12)), 0), float64(granules)))
			sum = min(sum+out[i], math.MaxInt64/2)
		}
		return sum
	}
	// The makespan lies between 0 and all work on the first device; halving finds it
	// to the last bit of a float64.
	lo, hi := 0.0, r.Devices[0].Start+float64(granules)*cost[0]
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		if fill(mid) >= granules {
			hi = mid
		} else {
			lo = mid
		}
	}
	surplus := fill(hi) - granules
	if surplus < 0 { // the rounding of one step
		out[0] -= surplus
		surplus = 0
	}
	for surplus > 0 { // several end together at the makespan: the slowest give back
		last := -1
		for i, d := range r.Devices {
			if out[i] > 0 && (last < 0 || d.Start+float64(out[i])*cost[i] >= r.Devices[last].Start+float64(out[last])*cost[last]) {
				last = i
			}
		}
		out[last]--
		surplus--
	}
	return r.shares(out), nil
}

// Estimate is the time in seconds after which each device is done with its share, 0 for
// an empty one; ok is false where a rate is not known.
func Estimate(shares []Share, devices []Device) (seconds []float64, ok bool) {
	seconds = make([]float64, len(shares))
	if len(devices) != len(shares) {
		return seconds, false
	}
	for i, s := range shares {
		d := devices[i]
		if !(d.Rate > 0) {
			return seconds, false
		}
		if s.Len() > 0 {
			seconds[i] = d.Start + float64(s.Len())*(1/d.Rate+d.Transfer)
		}
	}
	return seconds, true
}
