package partition

import "fmt"

// Memory divides in proportion to free memory. A device that cannot hold its part gets
// nothing, and the others divide anew; ErrMemory when none is left. (gPAC truncates and
// leaves the rest to the last device; here the largest remainders get it.)
func Memory(r Request) ([]Share, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if r.Count == 1 && (len(r.Devices) == 0 || r.Devices[0].Free <= 0) {
		return Equal(r) // it gets everything; whether that fits, its driver says
	}
	weights := make([]float64, r.Count)
	in := 0
	for i := range weights {
		if len(r.Devices) == 0 || r.Devices[i].Free <= 0 {
			return nil, fmt.Errorf("%w: the free memory of device %d of the team is not known", ErrRequest, i+1)
		}
		weights[i] = float64(r.Devices[i].Free)
		in++
	}
	for {
		granules := LargestRemainder(r.granules(), weights)
		out := -1 // of those that cannot hold their part the one with the least memory
		for i, n := range granules {
			if weights[i] > 0 && !r.holds(r.Devices[i], n) && (out < 0 || weights[i] < weights[out]) {
				out = i
			}
		}
		if out < 0 {
			return r.shares(granules), nil
		}
		weights[out] = 0
		if in--; in == 0 {
			return nil, fmt.Errorf("%w: %d units of %d bytes and %d bytes besides", ErrMemory, r.Units, r.UnitBytes, r.FixedBytes)
		}
	}
}

// holds says whether a device has the memory for n granules.
func (r Request) holds(d Device, n int64) bool {
	units := float64(n) * float64(max(r.Granule, 1))
	return units*float64(r.UnitBytes)+float64(r.FixedBytes) <= float64(d.Free)
}
