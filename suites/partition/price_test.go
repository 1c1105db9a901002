package partition

import (
	"fmt"
	"testing"
)

// price is what a batch costs on a GPU: a submission, and the gap before it.
const price = 20e-6

// TestDealPrice plays iterations of 1 ms to 2 s on 1 to 16 equal devices that take the
// price for each batch: handing out costs less than one percent of the iteration, or there
// is one batch for each device, and devices end within 5 % of each other.
func TestDealPrice(t *testing.T) {
	for _, rule := range []string{"steal", "weighted", "latency", "capacity", "round-robin"} {
		for _, n := range []int{1, 2, 3, 4, 8, 16} {
			for _, seconds := range []float64{2e-4, 5e-4, 1e-3, 2.2e-3, 5e-3, 20e-3, 100e-3, 350e-3, 2} {
				const chunks = 1024
				each := seconds * float64(n) / chunks
				machines, rates := make([]machine, n), make([]float64, n)
				for i := range machines {
					machines[i], rates[i] = machine{chunk: steady(each).chunk, start: price}, 1
				}
				w := newWorld(t, rule, chunks, rates, machines...)
				w.iteration()
				w.iteration()
				makespan := w.iteration()
				per := float64(w.deal.Tally().Batches) / float64(n)
				name := fmt.Sprintf("%s, %d devices, %g ms", rule, n, 1e3*seconds)
				if per > 1 && per*price > 0.01*seconds {
					t.Errorf("%s: %.1f batches for each device are %.2f %% of the iteration", name, per, 100*per*price/seconds)
				}
				if s := spread(w.deal); s > 0.05 {
					t.Errorf("%s: busy times spread by %.1f %%", name, 100*s)
				}
				// A chunk more on one device than on another cannot be helped, nor what the
				// blocks of round-robin do not fit.
				if limit := 1.011*seconds + price + each; makespan > limit && rule != "round-robin" {
					t.Errorf("%s: took %.3f ms, at most %.3f", name, 1e3*makespan, 1e3*limit)
				}
			}
		}
	}
}

// TestDealPriceUnequal: the same on devices of unequal speed, nothing known before. Busy
// times are within 10 %, and the devices reach 90 % of the sum of their rates.
func TestDealPriceUnequal(t *testing.T) {
	for _, rule := range []string{"steal", "weighted", "latency"} {
		for _, slower := range []float64{1.3, 2, 3.7, 10} {
			for _, seconds := range []float64{5e-4, 3e-3, 20e-3, 200e-3} {
				const chunks = 1024
				each := seconds / chunks * (1 + 1/slower)
				w := newWorld(t, rule, chunks, []float64{1, 1},
					machine{chunk: steady(each).chunk, start: price}, machine{chunk: steady(slower * each).chunk, start: price})
				for range 4 {
					w.iteration()
				}
				makespan := w.iteration()
				name := fmt.Sprintf("%s, %g times slower, %g ms", rule, slower, 1e3*seconds)
				if s := spread(w.deal); s > 0.10 {
					t.Errorf("%s: busy times spread by %.1f %%", name, 100*s)
				}
				if seconds/makespan < 0.9 {
					t.Errorf("%s: %.1f %% of the sum of the rates", name, 100*seconds/makespan)
				}
			}
		}
	}
}

// TestDealFirst: before anything is measured no batch is longer than allowed.
func TestDealFirst(t *testing.T) {
	for _, rule := range AssignNames() {
		a, _ := LookupAssign(rule)
		d, err := NewDeal(a, Terms{Chunks: 1000, Rates: []float64{1, 1}, Price: price, First: 3})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if b, answer := d.Take(i, 0); answer != Given || b.Len() == 0 || b.Len() > 3 {
				t.Errorf("%s: device %d got %d chunks, answer %d", rule, i, b.Len(), answer)
			}
		}
	}
}

// TestDealBackToBack: iterations that follow each other cost one batch a device each where
// they are short, and devices of unequal speed are done with all of them together.
func TestDealBackToBack(t *testing.T) {
	for _, rule := range []string{"steal", "weighted", "latency"} {
		const chunks, seconds, count = 1024, 1e-3, 20
		each := seconds / chunks * 1.5 // of devices of rates 1 and 1/2
		w := newWorld(t, rule, chunks, []float64{1, 1}, machine{chunk: steady(each).chunk, start: price}, machine{chunk: steady(2 * each).chunk, start: price})
		w.iteration()
		w.iteration()
		batches := 0
		order := [2]int{}
		w.given = func(i int, b Batch) {
			batches++
			if b.Iteration < order[i] || b.Iteration >= count {
				t.Errorf("%s: device %d got a batch of iteration %d after %d", rule, i, b.Iteration, order[i])
			}
			order[i] = b.Iteration
		}
		makespan := w.iterations(count)
		if batches > 3*count {
			t.Errorf("%s: %d batches in %d iterations of two devices", rule, batches, count)
		}
		if s := spread(w.deal); s > 0.05 {
			t.Errorf("%s: busy times spread by %.1f %%", rule, 100*s)
		}
		if limit := count * (1.05*seconds + price); makespan > limit {
			t.Errorf("%s: %.2f ms, at most %.2f", rule, 1e3*makespan, 1e3*limit)
		}
	}
}
