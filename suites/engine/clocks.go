package engine

import "github.com/amgpu/amgpu/vk"

// clocks ties every device's timestamps to the host's monotonic raw clock.
type clocks struct {
	points []clockPoint
}

// clockPoint is one calibrated pair.
type clockPoint struct {
	ticks uint64
	nanos int64
}

// calibrations is how many pairs are taken; the one with the smallest reported
// deviation is kept.
const calibrations = 16

// start calibrates all devices; if one cannot, none is known.
func (c *clocks) start(team []*vk.Device) {
	c.points = nil
	points := make([]clockPoint, len(team))
	for i, d := range team {
		best := ^uint64(0)
		for range calibrations {
			ticks, nanos, deviation, err := d.Calibrate()
			if err != nil {
				return
			}
			if deviation < best {
				best, points[i] = deviation, clockPoint{ticks, nanos}
			}
		}
	}
	c.points = points
}

func (c *clocks) known() bool { return len(c.points) > 0 }

// host maps ticks of device i to host nanoseconds. Drift within one launch is
// far below what start skew is judged by.
func (c *clocks) host(i int, d *vk.Device, ticks uint64) float64 {
	p := c.points[i]
	return float64(p.nanos) + d.TicksToSeconds(d.SubTicks(ticks, p.ticks))*1e9
}
