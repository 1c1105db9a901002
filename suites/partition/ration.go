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
		c = max(c, (now-max(f.since, h.last))/float64(f.chunks))
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

// flight is how long device i has to go with what it was handed.
func (d *Deal) flight(i int, now float64) float64 {
	return float64(d.hands[i].flying) * d.cost(i, now)
}

// remaining is how long the iteration still takes if everybody is done together.
func (d *Deal) remaining(now float64) float64 {
	flying := 0
	for i := range d.hands {
		flying += d.hands[i].flying
	}
	return float64(d.left+flying) / d.rates(now)
}

// ration is how many chunks device i gets at once, 0: it has enough in flight. One batch
// waits behind the one that runs, more when they are short; none does that would be
// done later than everything else.
func (d *Deal) ration(i int, now float64, have int) int {
	h := &d.hands[i]
	if !d.timed() {
		if h.batches >= 2 {
			return 0
		}
		return max(have/16/len(d.hands), 1)
	}
	cost, rest := d.cost(i, now), d.remaining(now)
	target := min(max(rest/4, least), most)
	if ahead := d.flight(i, now); h.batches >= 2 && ahead >= 2*least {
		return 0
	} else if h.batches > 0 {
		target = min(target, rest-ahead)
		if target < cost {
			return 0
		}
	}
	return int(max(math.Round(target/cost), 1))
}

// steal moves chunks from the end of the queue of the device that has longest to go to
// device i, so many that both are done together. Nothing moves when device i has half
// as much to do itself, or when the other would be through before i has done one.
func (d *Deal) steal(i int, now float64) bool {
	mine, cost := d.flight(i, now), d.cost(i, now)
	victim, longest := -1, 0.0
	for j := range d.hands {
		h := &d.hands[j]
		if j == i || h.lo == h.hi {
			continue
		}
		if rest := d.flight(j, now) + float64(h.hi-h.lo)*d.cost(j, now); rest > longest {
			victim, longest = j, rest
		}
	}
	if victim < 0 || mine >= cold*longest || mine+cost > longest {
		return false
	}
	h := &d.hands[victim]
	n := min(max(level(longest, mine, d.cost(victim, now), cost), 1), h.hi-h.lo)
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
