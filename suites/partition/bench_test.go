package partition

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkDecision divides 10,000 chunks over 16 devices by each strategy and estimates
// what the shares take: partition and plan. The target is 100 us.
func BenchmarkDecision(b *testing.B) {
	devices := described(rand.New(rand.NewPCG(1, 1)), 16)
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
		d.Begin()
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
					d.Begin()
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
	d, err := NewDeal(a, 10_000, rates)
	if err != nil {
		b.Fatal(err)
	}
	return d
}
