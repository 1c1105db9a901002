package partition

import "fmt"

// Batch is a run [Lo,Hi) of chunks handed out together, in an iteration counted from 0.
type Batch struct{ Lo, Hi, Iteration int }

// Len is the number of chunks.
func (b Batch) Len() int { return b.Hi - b.Lo }

// Answer is what a device that asks for work gets.
type Answer int

// Answers.
const (
	Given Answer = iota // a batch
	Wait                // not now: ask again when something is done, or after a moment
	Over                // nothing is left for this device
)

// Deal hands out the chunks of iterations that follow each other to devices while they
// work, and learns what a chunk takes on each of them. An iteration is begun when all
// chunks of the one before are handed out, not only when they are done. No chunk is ever
// lost or handed out twice in an iteration. It is
// used by one caller at a time and, after NewDeal, allocates nothing. Times are
// seconds of any one clock.
type Deal struct {
	assign Assign
	chunks int
	price  float64 // seconds that a batch costs beyond its chunks
	first  int     // most chunks of a batch before anything is measured
	block  int     // chunks of a turn in round-robin
	hands  []hand
	left   int  // chunks not handed out
	begun  bool // iterations
	at     int  // the iteration that is handed out
	last   int  // the last one
	owner  []int32
	cuts   []int // where the queues were cut last
	tally  Tally
}

// Terms are what a deal starts from.
type Terms struct {
	Chunks int
	Rates  []float64 // relative rates of the devices before anything is measured
	Price  float64   // seconds that a batch costs beyond its chunks: submission, gap
	First  int       // most chunks of a batch before anything is measured; 0: any number
}

// hand is one device.
type hand struct {
	prior    float64 // relative rate before anything is measured
	estimate float64 // seconds of a chunk, exponential mean; 0: not known
	lo, hi   int     // its queue
	turn     int     // blocks taken in round-robin
	flying   int     // chunks handed out and not done
	batches  int     // in flight
	flights  [Depth]flight
	last     float64 // when it was last done with something
	busy     float64 // seconds at work
	done     int     // chunks
}

type flight struct {
	chunks int
	part   float64 // a chunk's of it: 1/chunks
	since  float64
}

// Tally counts what a deal did in one iteration.
type Tally struct {
	Batches int // handed out
	Steals  int
	Moved   int     // chunks stolen
	Error   float64 // sum of |predicted - measured| / measured time of a batch
	Judged  int     // batches that were predicted
}

// Depth bounds the batches in flight on a device.
const Depth = 4

const (
	// alpha is the weight of the newest chunk in the exponential mean (gocuda).
	alpha = 0.1
	// A device is cold when it has less than half of the work of another one: only
	// then work moves (SuperVM: gap above 0.3, cold below 0.5).
	cold = 0.5
	// threshold is the imbalance (max-min)/max from which queues are cut anew.
	threshold = 0.05
)

// NewDeal prepares to hand out chunks by a rule.
func NewDeal(a Assign, t Terms) (*Deal, error) {
	n := len(t.Rates)
	if t.Chunks < 0 || n == 0 || !(t.Price >= 0) || t.First < 0 {
		return nil, fmt.Errorf("%w: %d chunks over %d devices, %g s and at most %d chunks a batch", ErrRequest, t.Chunks, n, t.Price, t.First)
	}
	d := &Deal{
		assign: a, chunks: t.Chunks, price: t.Price, first: t.First,
		hands: make([]hand, n), owner: make([]int32, t.Chunks), cuts: make([]int, n+1),
	}
	if d.first == 0 {
		d.first = max(t.Chunks, 1)
	}
	for i, r := range t.Rates {
		if !(r > 0) {
			return nil, fmt.Errorf("%w: device %d of the team has rate %g", ErrRequest, i+1, r)
		}
		d.hands[i].prior = r
	}
	d.cut()
	d.Begin(1)
	return d, nil
}

// Begin starts iterations, one at least. What was learnt is kept. What is known of a
// device that got nothing last time fades, or one bad moment would leave it idle for ever.
func (d *Deal) Begin(iterations int) {
	for i := range d.hands {
		h := &d.hands[i]
		if h.done == 0 && d.begun {
			h.estimate *= 1 - alpha
		}
		h.flying, h.batches, h.last, h.busy, h.done = 0, 0, 0, 0, 0
	}
	d.begun, d.at, d.last = true, -1, max(iterations, 1)-1
	d.next(0)
}

// next starts the next iteration; queues are cut anew when the old cut would leave
// devices idle for more than threshold.
func (d *Deal) next(now float64) {
	if d.assign.learns && d.uneven() {
		d.cut()
	}
	for i := range d.hands {
		h := &d.hands[i]
		h.turn, h.lo, h.hi = 0, d.cuts[i], d.cuts[i+1]
	}
	d.left, d.tally = d.chunks, Tally{}
	d.at++
	turns := unmeasured
	if d.timed() {
		turns = d.batches(float64(d.chunks) / d.rates(now))
	}
	turns *= len(d.hands)
	d.block = min(max((d.chunks+turns-1)/turns, 1), d.first)
}

// cut gives every device a queue in proportion to its rate.
func (d *Deal) cut() {
	if !d.assign.queues {
		return
	}
	total, at := d.rates(0), 0.0
	for i := range d.hands {
		at += 1 / d.cost(i, 0)
		d.cuts[i+1] = int(float64(d.chunks)*at/total + 0.5)
	}
	d.cuts[len(d.hands)] = d.chunks
}

// uneven says whether the last cut leaves devices idle by what is known now.
func (d *Deal) uneven() bool {
	lo, hi := -1.0, 0.0
	for i := range d.hands {
		t := float64(d.cuts[i+1]-d.cuts[i]) * d.cost(i, 0)
		if lo < 0 || t < lo {
			lo = t
		}
		hi = max(hi, t)
	}
	return hi-lo > threshold*hi
}

// Take answers device i that asks for work.
func (d *Deal) Take(i int, now float64) (Batch, Answer) {
	h := &d.hands[i]
	if d.left == 0 && d.at < d.last && d.chunks > 0 {
		d.next(now)
	}
	switch {
	case d.left == 0:
		return Batch{}, Over
	case h.batches == Depth:
		return Batch{}, Wait
	}
	b, a := d.assign.take(d, i, now)
	if a == Over && d.at < d.last {
		a = Wait // there is more once the others have theirs
	}
	if a != Given {
		return b, a
	}
	b.Iteration = d.at
	h.flights[h.batches] = flight{b.Len(), 1 / float64(b.Len()), now}
	h.batches++
	h.flying += b.Len()
	d.left -= b.Len()
	d.tally.Batches++
	for c := b.Lo; c < b.Hi; c++ {
		d.owner[c] = int32(i)
	}
	return b, a
}

// Done notes that device i is through its oldest batch.
func (d *Deal) Done(i int, now float64) {
	h := &d.hands[i]
	f := h.flights[0]
	copy(h.flights[:], h.flights[1:h.batches])
	h.batches--
	h.flying -= f.chunks
	h.done += f.chunks
	took := now - max(f.since, h.last)
	h.last = now
	h.busy += took
	each := took / float64(f.chunks)
	if h.estimate == 0 {
		h.estimate = each
		return
	}
	if each > 0 {
		d.tally.Judged++
		d.tally.Error += abs(h.estimate-each) / each
	}
	keep := 1.0
	for range min(f.chunks, 64) {
		keep *= 1 - alpha
	}
	h.estimate = keep*h.estimate + (1-keep)*each
}

func abs(x float64) float64 { return max(x, -x) }

// Rule is the name of the rule by which chunks are handed out.
func (d *Deal) Rule() string { return d.assign.Name }

// Owners is, by chunk, the device that it was handed to. It is overwritten by the next
// iteration.
func (d *Deal) Owners() []int32 { return d.owner }

// Tally is what the last iteration begun did so far.
func (d *Deal) Tally() Tally { return d.tally }

// Handed is the number of chunks of device i that are done since Begin.
func (d *Deal) Handed(i int) int { return d.hands[i].done }

// Busy is how long device i has been at work since Begin, in seconds.
func (d *Deal) Busy(i int) float64 { return d.hands[i].busy }

// Estimate is what a chunk takes on device i, in seconds; 0: not known.
func (d *Deal) Estimate(i int) float64 { return d.hands[i].estimate }
