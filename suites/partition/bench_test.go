package partition

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// BenchmarkDecision divides 10,000 chunks over 16 devices by each strategy and estimates
// what the shares take, or makes the deal that hands them out: partition and plan. The
// target is 100 us.
func BenchmarkDecision(b *testing.B) {
	devices := described(rand.New(rand.NewPCG(1, 1)), 16)
	rates := make([]float64, len(devices))
	for i, d := range devices {
		rates[i] = d.Rate
	}
	for _, s := range strategies {
		b.Run(s.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				shares, err := s.Divide(Request{Units: 10_000, Count: 16, Devices: devices})
				if err != nil {
					b.Fatal(err)
				}
				if _, ok := Estimate(shares, devices); !ok {
					b.Fatal("no estimate")
				}
				if !s.Dynamic {
					continue
				}
				if _, err := NewDeal(assigns[0], Terms{Chunks: 10_000, Rates: rates, Price: price}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBegin prepares an iteration of a deal, BenchmarkTake hands out a batch and
// takes it back: 10,000 chunks, 16 devices.
func BenchmarkBegin(b *testing.B) {
	d := dealt(b, "steal")
	b.ReportAllocs()
	for b.Loop() {
		d.Begin(1)
	}
}

func BenchmarkTake(b *testing.B) {
	for _, rule := range AssignNames() {
		b.Run(rule, func(b *testing.B) {
			d := dealt(b, rule)
			b.ReportAllocs()
			now, i := 0.0, 0
			for b.Loop() {
				now += 1e-4
				if i = (i + 1) % 16; i == 0 && d.left == 0 {
					d.Begin(1)
				}
				if _, a := d.Take(i, now); a == Given {
					d.Done(i, now+5e-5)
				}
			}
		})
	}
}

func dealt(b *testing.B, rule string) *Deal {
	a, err := LookupAssign(rule)
	if err != nil {
		b.Fatal(err)
	}
	rates := make([]float64, 16)
	for i := range rates {
		rates[i] = float64(1 + i%3)
	}
	d, err := NewDeal(a, Terms{Chunks: 10_000, Rates: rates, Price: 20e-6})
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// BenchmarkIteration plays a whole iteration in virtual time, 10,000 chunks over 16
// devices of three speeds, and reports what all of its decisions take together: the bound
// is 100 us.
func BenchmarkIteration(b *testing.B) {
	for _, rule := range AssignNames() {
		for _, seconds := range []float64{2e-3, 20e-3, 200e-3} {
			b.Run(fmt.Sprintf("%s/%gms", rule, 1e3*seconds), func(b *testing.B) {
				d := dealt(b, rule)
				chunk := seconds * 31 / 10_000 // rates 1, 2, 3, 1, ..: 31 in all
				playOut(d, chunk)
				b.ReportAllocs()
				for b.Loop() {
					playOut(d, chunk)
				}
				b.ReportMetric(float64(d.Tally().Batches)/16, "batches/device")
			})
		}
	}
}

// playOut runs one iteration in which a chunk takes this long on a device of rate 1. Who
// is through with a batch asks for more, as who has none does.
func playOut(d *Deal, chunk float64) {
	var ends [16]float64 // of the oldest batch; +Inf: none in flight
	now := 0.0
	start := func(i int) {
		ends[i] = math.Inf(1)
		if h := &d.hands[i]; h.batches > 0 {
			ends[i] = now + price + float64(h.flights[0].chunks)*chunk/h.prior
		}
	}
	ask := func(i int) {
		for {
			_, a := d.Take(i, now)
			if math.IsInf(ends[i], 1) {
				start(i)
			}
			if a != Given {
				return
			}
		}
	}
	d.Begin(1)
	for i := range ends {
		ends[i] = math.Inf(1)
		ask(i)
	}
	for {
		who := 0
		for i, at := range ends {
			if at < ends[who] {
				who = i
			}
		}
		if math.IsInf(ends[who], 1) {
			return
		}
		now = ends[who]
		d.Done(who, now)
		start(who)
		for i := range ends {
			if i == who || math.IsInf(ends[i], 1) {
				ask(i)
			}
		}
	}
}
