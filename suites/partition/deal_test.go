package partition

import (
	"math"
	"math/rand/v2"
	"testing"
)

// machine is a device of a simulation: seconds of a chunk at a time, and what it costs
// to get a batch started.
type machine struct {
	chunk func(now float64) float64
	start float64
}

func steady(seconds float64) machine {
	return machine{chunk: func(float64) float64 { return seconds }}
}

// world plays a deal in virtual time.
type world struct {
	t        *testing.T
	deal     *Deal
	machines []machine
	now      float64
	queue    [][]Batch // in flight, by device
	ends     []float64 // of the batch that runs; +Inf: none
	seen     []int     // how often a chunk was handed out
	each     func(now float64)
	given    func(i int, b Batch)
}

func (w *world) iteration() (makespan float64) {
	w.t.Helper()
	return w.iterations(1)
}

// iterations runs some back to back.
func (w *world) iterations(count int) (makespan float64) {
	w.t.Helper()
	w.deal.Begin(count)
	n := len(w.machines)
	w.queue, w.ends, w.seen = make([][]Batch, n), make([]float64, n), make([]int, w.deal.chunks)
	finish := make([]float64, n)
	for i := range w.ends {
		w.ends[i] = math.Inf(1)
	}
	begin := w.now
	const moment = 100e-6
	for {
		over := 0
		for i := range n {
			for {
				b, a := w.deal.Take(i, w.now)
				if a == Given {
					if w.given != nil {
						w.given(i, b)
					}
					for c := b.Lo; c < b.Hi; c++ {
						w.seen[c]++
					}
					w.queue[i] = append(w.queue[i], b)
					if len(w.queue[i]) == 1 {
						w.ends[i] = w.now + w.took(i, b)
					}
					continue
				}
				if a == Over && len(w.queue[i]) == 0 {
					over++
				}
				break
			}
		}
		next, who := w.now+moment, -1
		waiting := false // somebody asks again in a moment
		for i := range n {
			waiting = waiting || len(w.queue[i]) == 0
		}
		for i := range n {
			if w.ends[i] < next || who < 0 && w.ends[i] < math.Inf(1) && !waiting {
				next, who = w.ends[i], i
			}
		}
		if over == n {
			break
		}
		if who < 0 {
			w.now = next
			continue
		}
		w.now = next
		w.deal.Done(who, w.now)
		if w.each != nil {
			w.each(w.now)
		}
		finish[who] = w.now
		w.queue[who] = w.queue[who][1:]
		w.ends[who] = math.Inf(1)
		if len(w.queue[who]) > 0 {
			w.ends[who] = w.now + w.took(who, w.queue[who][0])
		}
	}
	for c, k := range w.seen {
		if k != count {
			w.t.Fatalf("%s: chunk %d was handed out %d times in %d iterations", w.deal.assign.Name, c, k, count)
		}
	}
	for _, at := range finish {
		makespan = max(makespan, at-begin)
	}
	return makespan
}

func (w *world) took(i int, b Batch) float64 {
	return w.machines[i].start + float64(b.Len())*w.machines[i].chunk(w.now)
}

func newWorld(t *testing.T, rule string, chunks int, rates []float64, machines ...machine) *world {
	t.Helper()
	a, err := LookupAssign(rule)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDeal(a, Terms{Chunks: chunks, Rates: rates, Price: 20e-6})
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, deal: d, machines: machines}
}

// spread is the standard deviation of busy times over their mean.
func spread(d *Deal) float64 {
	mean, sum := 0.0, 0.0
	for i := range d.hands {
		mean += d.Busy(i) / float64(len(d.hands))
	}
	for i := range d.hands {
		sum += (d.Busy(i) - mean) * (d.Busy(i) - mean)
	}
	return math.Sqrt(sum/float64(len(d.hands))) / mean
}

// TestDealHandsOutEverythingOnce plays all rules on random machines.
func TestDealHandsOutEverythingOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, rule := range AssignNames() {
		for range 100 {
			n := 1 + rng.IntN(16)
			machines, rates := make([]machine, n), make([]float64, n)
			for i := range machines {
				machines[i] = steady(1e-5 * (1 + 20*rng.Float64()))
				machines[i].start = 5e-5 * rng.Float64()
				rates[i] = 1 + rng.Float64()
			}
			w := newWorld(t, rule, rng.IntN(600), rates, machines...)
			for k := range 4 {
				w.iterations(1 + 2*k)
			}
		}
	}
}

func TestDealEdges(t *testing.T) {
	for _, rule := range AssignNames() {
		for _, c := range []struct{ chunks, devices int }{{0, 1}, {0, 4}, {1, 1}, {1, 8}, {3, 8}} {
			rates, machines := make([]float64, c.devices), make([]machine, c.devices)
			for i := range rates {
				rates[i], machines[i] = 1, steady(1e-4)
			}
			newWorld(t, rule, c.chunks, rates, machines...).iteration()
		}
	}
	a, _ := LookupAssign("steal")
	for _, rates := range [][]float64{nil, {0}, {1, -1}, {math.NaN()}} {
		if _, err := NewDeal(a, Terms{Chunks: 4, Rates: rates}); err == nil {
			t.Errorf("rates %v were accepted", rates)
		}
	}
}

// TestDealBalances: after an iteration to learn from, equal devices are within 5 % and
// unequal ones within 10 %, and the unequal ones reach 90 % of the sum of their rates.
func TestDealBalances(t *testing.T) {
	for _, rule := range []string{"steal", "weighted", "latency"} {
		w := newWorld(t, rule, 512, []float64{1, 1, 1, 1}, steady(1e-4), steady(1e-4), steady(1e-4), steady(1e-4))
		w.iteration()
		w.iteration()
		if s := spread(w.deal); s > 0.05 {
			t.Errorf("%s, equal devices: %.1f %%", rule, 100*s)
		}
		w = newWorld(t, rule, 512, []float64{1, 1}, steady(1e-4), steady(3.7e-4))
		w.iteration()
		makespan := w.iteration()
		if s := spread(w.deal); s > 0.1 {
			t.Errorf("%s, unequal devices: %.1f %%", rule, 100*s)
		}
		ideal := 512 / (1/1e-4 + 1/3.7e-4)
		if ideal/makespan < 0.9 {
			t.Errorf("%s: %.1f %% of the sum of the rates", rule, 100*ideal/makespan)
		}
	}
}

// TestDealCapacity follows the rates it was given, and round-robin nothing.
func TestDealCapacity(t *testing.T) {
	for rule, want := range map[string][]int{"capacity": {300, 100}, "round-robin": {205, 195}} {
		w := newWorld(t, rule, 400, []float64{3, 1}, steady(1e-4), steady(1e-4))
		w.iteration()
		if w.deal.Handed(0) != want[0] || w.deal.Handed(1) != want[1] {
			t.Errorf("%s: %d and %d chunks, want %v", rule, w.deal.Handed(0), w.deal.Handed(1), want)
		}
	}
}

// TestDealAdapts: a device becomes four times as slow in the middle of a long
// iteration. Within 100 ms what is known of the devices gives shares within 5 % of the
// new optimum, and the iteration ends as if they had been right all the time.
func TestDealAdapts(t *testing.T) {
	const chunk, slow, from = 0.5e-3, 4, 0.2
	for _, rule := range []string{"steal", "weighted", "latency"} {
		var settled float64
		lag := machine{chunk: func(now float64) float64 {
			if now >= from {
				return slow * chunk
			}
			return chunk
		}}
		w := newWorld(t, rule, 4096, []float64{1, 1, 1, 1}, lag, steady(chunk), steady(chunk), steady(chunk))
		optimum := (1.0 / slow) / (1.0/slow + 3)
		w.each = func(now float64) {
			share := (1 / w.deal.Estimate(0)) / w.deal.rates(now)
			if now > from && math.Abs(share-optimum) > 0.05*optimum {
				settled = now // not yet
			}
		}
		makespan := w.iteration()
		if after := settled - from; after > 0.1 {
			t.Errorf("%s: shares were off the optimum for %.0f ms", rule, 1e3*after)
		}
		done := from / chunk * 4
		ideal := from + (4096-done)*chunk/(3+1.0/slow)
		if makespan > 1.02*ideal {
			t.Errorf("%s: %.1f ms, ideal %.1f ms", rule, 1e3*makespan, 1e3*ideal)
		}
	}
}

// TestDealMean: what a chunk takes on a device is the exponential mean of its chunks, the
// newest with a weight of 0.1: a batch of three counts as three.
func TestDealMean(t *testing.T) {
	a, err := LookupAssign("round-robin")
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDeal(a, Terms{Chunks: 6, Rates: []float64{1}, Price: 20e-6})
	if err != nil {
		t.Fatal(err)
	}
	want, now := 0.0, 0.0
	for k, each := range []float64{1, 2, 3} {
		d.Begin(1)
		for {
			b, answer := d.Take(0, now)
			if answer != Given {
				break
			}
			now += each * float64(b.Len())
			d.Done(0, now)
			for c := range b.Len() {
				switch {
				case k == 0 && b.Lo == 0 && c == 0:
					want = each
				case k == 0 && b.Lo == 0: // the first batch is one value
				default:
					want = 0.9*want + 0.1*each
				}
			}
		}
		if got := d.Estimate(0); !near(got, want) {
			t.Errorf("after chunks of %g s: %g, want %g", each, got, want)
		}
	}
}

// TestDealDoesNotOscillate: between equal devices with noise little moves, and what was
// learnt makes later iterations move less.
func TestDealDoesNotOscillate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	noisy := machine{chunk: func(float64) float64 { return 1e-4 * (0.95 + 0.1*rng.Float64()) }}
	w := newWorld(t, "steal", 1000, []float64{1, 1}, noisy, noisy)
	for range 10 {
		w.iteration()
		if s := w.deal.Tally(); s.Moved > 50 || s.Steals > 8 {
			t.Fatalf("%d chunks moved in %d steals", s.Moved, s.Steals)
		}
	}
	cuts := w.deal.cuts[1]
	w.iteration()
	if w.deal.cuts[1] != cuts {
		t.Errorf("the queues were cut anew for noise: at %d, then at %d", cuts, w.deal.cuts[1])
	}
}

// TestDealForgets: a device that was once a thousand times as slow, so that it gets
// nothing, is tried again and then has its part.
func TestDealForgets(t *testing.T) {
	for _, rule := range []string{"steal", "weighted", "latency"} {
		bad := true
		moody := machine{chunk: func(float64) float64 {
			if bad {
				return 0.1
			}
			return 1e-4
		}}
		w := newWorld(t, rule, 64, []float64{1, 1}, steady(1e-4), moody)
		w.iteration()
		bad = false
		for range 100 {
			w.iteration()
		}
		if n := w.deal.Handed(1); n < 24 {
			t.Errorf("%s: %d of 64 chunks", rule, n)
		}
	}
}

// TestLevel is SuperVM's example: 95 % and 30 % busy with ten and three tasks.
func TestLevel(t *testing.T) {
	if n := level(10, 3, 1, 1); 10-n != 6 || 3+n != 7 {
		t.Errorf("%d and %d tasks, want 6 and 7", 10-n, 3+n)
	}
	if n := level(1, 1, 1, 1); n != 0 {
		t.Errorf("%d tasks move between equals", n)
	}
}

// TestPrediction: the time of batches on steady devices is known to 92 % and better.
func TestPrediction(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	noisy := func(s float64) machine {
		return machine{chunk: func(float64) float64 { return s * (0.9 + 0.2*rng.Float64()) }}
	}
	w := newWorld(t, "steal", 2000, []float64{1, 1}, noisy(1e-4), noisy(3e-4))
	w.iteration()
	w.iteration()
	s := w.deal.Tally()
	if accuracy := 1 - s.Error/float64(s.Judged); accuracy < 0.92 {
		t.Errorf("accuracy %.3f of %d batches", accuracy, s.Judged)
	}
}

func TestLookupAssign(t *testing.T) {
	for name, want := range map[string]string{
		"steal": "steal", "WorkStealing": "steal", "RoundRobin": "round-robin", "round_robin": "round-robin", "WeightedLoad": "weighted",
		"least-loaded": "weighted", "CapacityBased": "capacity", "LatencyOptimized": "latency",
	} {
		if a, err := LookupAssign(name); err != nil || a.Name != want {
			t.Errorf("%s: %s %v", name, a.Name, err)
		}
	}
	if _, err := LookupAssign("fair"); err == nil {
		t.Error("an unknown rule was found")
	}
}
