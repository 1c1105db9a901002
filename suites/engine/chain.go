package engine

// chain is the longest chain of work through phases. A phase begins on a device when all
// devices are through the one before, and the device itself through its tail, which no other
// waits for: tails of one phase and work of the next go on side by side on different
// devices, so that the sum of the longest of each phase would be more than the time it took.
type chain struct {
	begun   float64   // when the devices may begin the phase, in seconds
	through float64   // when the last of them is through it
	free    []float64 // by device: when it is through its tail
}

func newChain(devices int) *chain { return &chain{free: make([]float64, devices)} }

// add gives device i work in the phase and in its tail.
func (c *chain) add(i int, work, tail float64) {
	end := max(c.begun, c.free[i]) + work
	c.through = max(c.through, end)
	c.free[i] = end + tail
}

// phase ends a phase, behind which copies that all devices wait for take a while.
func (c *chain) phase(copies float64) {
	c.begun = max(c.through, c.begun) + copies
	c.through = c.begun
}

// length is the time until everything is done.
func (c *chain) length() float64 {
	end := c.begun
	for _, f := range c.free {
		end = max(end, f)
	}
	return end
}
