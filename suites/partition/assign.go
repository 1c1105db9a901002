package partition

import (
	"fmt"
	"slices"
	"strings"
)

// Assign is a rule by which a Deal hands out chunks.
type Assign struct {
	Name    string
	Doc     string
	Aliases []string
	take    func(d *Deal, i int, now float64) (Batch, Answer)
	queues  bool // chunks are cut into a queue for each device
	learns  bool // the cut follows what was measured
}

// Origins: RoundRobin, WeightedLoad, CapacityBased and LatencyOptimized are gocuda's
// load balancing, work stealing is kwavers'.
var assigns = []Assign{
	{Name: "steal", Doc: "a queue for each device; who is done takes from the one that has longest to go",
		Aliases: []string{"workstealing", "stealing"}, take: (*Deal).takeOrSteal, queues: true, learns: true},
	{Name: "round-robin", Doc: "blocks of chunks in turn, whatever the devices are",
		Aliases: []string{"roundrobin"}, take: (*Deal).takeTurn},
	{Name: "weighted", Doc: "one queue; the least loaded device takes a part by its measured rate",
		Aliases: []string{"weightedload", "leastloaded"}, take: (*Deal).takeWeighted},
	{Name: "capacity", Doc: "a queue for each device in proportion to its rate or score, nothing moves",
		Aliases: []string{"capacitybased"}, take: (*Deal).takeOwn, queues: true},
	{Name: "latency", Doc: "one queue; no chunk to a device when another would be done with all that is left before it",
		Aliases: []string{"latencyoptimized"}, take: (*Deal).takeEarliest},
}

// AssignNames lists the rules, the default first.
func AssignNames() []string {
	out := make([]string, len(assigns))
	for i, a := range assigns {
		out[i] = a.Name
	}
	return out
}

// LookupAssign finds a rule by name or alias; case, '-' and '_' do not matter.
func LookupAssign(name string) (Assign, error) {
	want := plain(name)
	for _, a := range assigns {
		if plain(a.Name) == want || slices.Contains(a.Aliases, want) {
			return a, nil
		}
	}
	return Assign{}, fmt.Errorf("unknown rule %q: use %s", name, strings.Join(AssignNames(), ", "))
}

// takeOwn hands out the front of the device's own queue.
func (d *Deal) takeOwn(i int, now float64) (Batch, Answer) {
	h := &d.hands[i]
	if h.lo == h.hi {
		return Batch{}, Over
	}
	n := d.ration(i, now)
	if n == 0 {
		return Batch{}, Wait
	}
	if h.hi-h.lo <= n+n/8 { // the rest is not worth a batch of its own
		n = h.hi - h.lo
	}
	h.lo += n
	return Batch{Lo: h.lo - n, Hi: h.lo}, Given
}

// takeOrSteal refills an empty queue from the device that has longest to go.
func (d *Deal) takeOrSteal(i int, now float64) (Batch, Answer) {
	h := &d.hands[i]
	if h.lo == h.hi && !d.steal(i, now) {
		return Batch{}, Wait // worth it later, when the other turns out to be slow
	}
	return d.takeOwn(i, now)
}

// takeTurn hands out blocks i, i+N, i+2N, ...
func (d *Deal) takeTurn(i int, _ float64) (Batch, Answer) {
	h := &d.hands[i]
	lo := (h.turn*len(d.hands) + i) * d.block
	if lo >= d.chunks {
		return Batch{}, Over
	}
	if h.batches >= 2 {
		return Batch{}, Wait
	}
	h.turn++
	return Batch{Lo: lo, Hi: min(lo+d.block, d.chunks)}, Given
}

// takeWeighted hands out from the common queue by the rates. A device with work
// in flight waits while another has less than half as much.
func (d *Deal) takeWeighted(i int, now float64) (Batch, Answer) {
	n := d.ration(i, now)
	if n == 0 { // asked first: it is the most frequent answer and soon given
		return Batch{}, Wait
	}
	mine := d.flight(i, d.cost(i, now), now)
	for j := range d.hands {
		if j != i && mine > 0 && d.flight(j, d.cost(j, now), now) < cold*mine {
			return Batch{}, Wait
		}
	}
	return d.central(n), Given
}

// takeEarliest refuses a device when another would be done with all that is left before
// this one has done a chunk, by more than what would only make them take turns.
func (d *Deal) takeEarliest(i int, now float64) (Batch, Answer) {
	n := d.ration(i, now)
	if n == 0 {
		return Batch{}, Wait
	}
	cost := d.cost(i, now)
	mine := d.flight(i, cost, now) + cost
	for j := range d.hands {
		if j == i {
			continue
		}
		if c := d.cost(j, now); d.flight(j, c, now)+float64(d.left)*c < (1-threshold)*mine {
			return Batch{}, Wait
		}
	}
	return d.central(n), Given
}

// central hands out the next n chunks of the common queue.
func (d *Deal) central(n int) Batch {
	if d.left <= n+min(n/8, len(d.hands)/2) { // what rounding left over
		n = d.left
	}
	lo := d.chunks - d.left
	return Batch{Lo: lo, Hi: lo + n}
}
