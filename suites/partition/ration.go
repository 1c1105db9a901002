package partition

import "math"

// cost is what a chunk takes on device i: the mean of those done, or what it has
// already spent on the one in flight when that is more. Until it has done one, what
// another took is scaled by their rates; until anybody has, costs are relative.
func (d *Deal) cost(i int, now float64) float64 {
	h := &d.hands[i]
	c := h.estimate
	if c == 0 {
		c = 1 / h.prior
		for j := range d.hands {
			if e := d.hands[j].estimate; e > 0 {
				c = e * d.hands[j].prior / h.prior
				break
			}
		}
	}
	if h.batches > 0 && h.estimate > 0 {
		f := h.flights[0]
		c = max(c, (now-max(f.since, h.last))*f.part)
	}
	return c
}

// timed says whether costs are seconds, not only relative.
func (d *Deal) timed() bool {
	for i := range d.hands {
		if d.hands[i].estimate > 0 {
			return true
		}
	}
	return false
}

// rates is how many chunks all devices do in a second.
func (d *Deal) rates(now float64) float64 {
	sum := 0.0
	for i := range d.hands {
		sum += 1 / d.cost(i, now)
	}
	return sum
}

// flight is how long device i has to go with what it was handed, a chunk of which takes
// it this long.
func (d *Deal) flight(i int, cost, now float64) float64 {
	h := &d.hands[i]
	if h.batches == 0 {
		return 0
	}
	f := h.flights[0]
	rest := float64(h.flying) * cost
	if h.estimate > 0 { // part of the oldest one is done
		rest -= min(now-max(f.since, h.last), float64(f.chunks)*cost)
	}
	return rest
}

// outlook is how long the iteration still takes if everybody is done together, and how
// many chunks all devices do in a second.
func (d *Deal) outlook(now float64) (rest, rate float64) {
	todo := float64(d.left)
	for i := range d.hands {
		cost := d.cost(i, now)
		each := 1 / cost
		todo += d.flight(i, cost, now) * each
		rate += each
	}
	return todo / rate, rate
}

const (
	// toll is the part of an iteration that batches may cost: half of the one percent
	// that handing out may take, the rest is for what is stolen.
	toll = 0.005
	// halvings bounds how often what is left is halved.
	halvings = 8
	// A batch takes no longer than most, or a device that becomes slow keeps too much;
	// on a team of one than mostAlone, well below what makes a driver reset a device.
	most, mostAlone = 20e-3, 100e-3
	// soon: with less than that to go, a device gets a third and a fourth batch.
	soon = 200e-6
	// unmeasured is into how many batches its part is cut for a device of which
	// nothing is known.
	unmeasured = 16
)

// batches is into how many batches each device's part is cut of an iteration that takes
// this many seconds: more are not worth their price. One, where it is short.
func (d *Deal) batches(seconds float64) int {
	if seconds*toll >= halvings*d.price {
		return halvings
	}
	return max(int(seconds*toll/d.price), 1)
}

// ration is how many chunks device i should get at once, 0: it has enough in flight. What it will do until all devices are done together is halved again and again
// (guided self-scheduling), as often as is worth the price, and then handed out whole. One
// batch waits behind the one that runs; none does that would be done later than everything
// else.
func (d *Deal) ration(i int, now float64) int {
	h := &d.hands[i]
	if !d.timed() {
		if h.batches >= 2 {
			return 0
		}
		return min(max(d.chunks/len(d.hands)/unmeasured, 1), d.first)
	}
	cost := d.cost(i, now)
	ahead := d.flight(i, cost, now)
	if h.batches >= 2 && ahead >= soon {
		return 0
	}
	rest, rate := d.outlook(now)
	mine := rest - ahead
	if h.batches > 0 && mine < cost {
		return 0
	}
	longest := most
	whole := float64(d.chunks) / rate
	small := whole / float64(int(1)<<(d.batches(whole)-1))
	if len(d.hands) == 1 {
		longest, small = mostAlone, rest
	}
	target := max(mine/2, small)
	if mine < 1.5*small {
		target = mine
	}
	return int(max(math.Round(min(target, longest)/cost), 1))
}

// steal moves chunks from the end of the queue of the device that has longest to go to
// device i, so many that both are done together. Nothing moves when device i has half
// as much to do itself, when the other would be through before i has done one, or when what
// is gained is less than the price.
func (d *Deal) steal(i int, now float64) bool {
	cost := d.cost(i, now)
	mine := d.flight(i, cost, now)
	victim, longest, each := -1, 0.0, 0.0
	for j := range d.hands {
		h := &d.hands[j]
		if j == i || h.lo == h.hi {
			continue
		}
		c := d.cost(j, now)
		if rest := d.flight(j, c, now) + float64(h.hi-h.lo)*c; rest > longest {
			victim, longest, each = j, rest, c
		}
	}
	if victim < 0 || mine >= cold*longest || mine+cost+2*d.price > longest {
		return false
	}
	h := &d.hands[victim]
	n := min(max(level(longest, mine, each, cost), 1), h.hi-h.lo)
	h.hi -= n
	d.hands[i].lo, d.hands[i].hi = h.hi, h.hi+n
	d.tally.Steals++
	d.tally.Moved += n
	return true
}

// level is how many tasks move from a hot device with this much to do to a cold one so
// that both are done together. Ten tasks and three of equal cost become six and seven
// (SuperVM's example).
func level(hot, cold, costHot, costCold float64) int {
	return int((hot-cold)/(costHot+costCold) + 0.5)
}
