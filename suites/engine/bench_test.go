package engine

import (
	"context"
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk/vktest"
)

// BenchmarkEmptyStep times the orchestration of a step that does nothing: gate,
// one empty submission per device, last one seen done. Bound: the driver's
// submit-to-seen time (10 us on an H100 with polling).
func BenchmarkEmptyStep(b *testing.B) {
	for _, n := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("devices=%d", n), func(b *testing.B) {
			_, adapters := vktest.Timed(b, fmt.Sprint(n))
			s, err := Launch(context.Background(), Spec{Workload: idle(n), Adapters: adapters, Transport: "auto"})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			var total float64
			runs := 0
			for b.Loop() {
				t, err := s.EmptyGate(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				total += t
				runs++
			}
			b.ReportMetric(total/float64(runs)*1e6, "us/step")
		})
	}
}

// BenchmarkExchange times a step that does nothing but refresh halos of 64 KiB:
// the cost of a phase boundary and two small copies.
func BenchmarkExchange(b *testing.B) {
	for _, n := range []int{2, 4} {
		b.Run(fmt.Sprintf("devices=%d", n), func(b *testing.B) {
			_, adapters := vktest.Timed(b, fmt.Sprint(n))
			p := &program.Program{
				Units: 64, Shares: divide(64, n),
				Arrays: []program.Array{{Name: "a", Layout: program.Split, Units: 64, Stride: 1 << 14, Halo: 1, Wrap: true}},
				Steps:  []program.Step{program.Exchange{Arrays: []string{"a"}}},
			}
			s, err := Launch(context.Background(), Spec{Workload: fixture{prog: p, check: func(*suites.Check) string { return "" }}, Adapters: adapters, Transport: "auto"})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			if _, err := s.Verify(context.Background(), false); err != nil {
				b.Fatal(err)
			}
			var total float64
			runs := 0
			for b.Loop() {
				sample, err := s.Sample(context.Background(), 16)
				if err != nil {
					b.Fatal(err)
				}
				total += sample.Seconds
				runs++
			}
			b.ReportMetric(total/float64(runs)*1e6, "us/step")
		})
	}
}

func idle(n int) fixture {
	return fixture{prog: &program.Program{Units: int64(n), Shares: divide(int64(n), n)}}
}
