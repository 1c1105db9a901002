//go:build gpu

package engine

import (
	"context"
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// BenchmarkReduceBetween times what an all-reduce of 4 KiB adds between two dispatches, on GPUs:
// the step with it less the step without it. Bound: one hand-over, 6 us in a C program.
func BenchmarkReduceBetween(b *testing.B) {
	for _, n := range []int{2, 4} {
		b.Run(fmt.Sprintf("devices=%d", n), func(b *testing.B) {
			adapters := vktest.GPUs(b, n)
			with, without := step(b, adapters, true), step(b, adapters, false)
			var total [2]float64
			runs := 0
			for b.Loop() { // in turns
				for k, s := range []*Session{with, without} {
					sample, err := s.Sample(context.Background(), 256)
					if err != nil {
						b.Fatal(err)
					}
					total[k] += sample.Seconds * 1e6
				}
				runs++
			}
			b.ReportMetric(total[0]/float64(runs), "us/step")
			b.ReportMetric((total[0]-total[1])/float64(runs), "us/reduce")
		})
	}
}

// step launches two dispatches, with an all-reduce between them or without.
func step(b *testing.B, adapters []*vk.Adapter, reduce bool) *Session {
	b.Helper()
	n := len(adapters)
	units := int64(n) << 10
	array := func(name string, layout program.Layout, units, stride int64) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: layout, Units: units, Stride: stride, Source: program.Random(1, 0, 1)}
	}
	p := &program.Program{
		Units: units, Shares: divide(units, n),
		Arrays: []program.Array{
			array("x", program.Local, 1, 1<<10), array("sum", program.Local, 1, 1<<10),
			array("a", program.Split, units, 64), array("c", program.Split, units, 64),
		},
		Kernels: []program.Kernel{{Name: "add", Shader: "memory/vector_add"}},
	}
	add := program.Dispatch{Label: "add", Kernel: "add", Bind: []program.Binding{{Array: "a"}, {Array: "a"}, {Array: "c", Access: program.Write}}}
	for _, s := range p.Shares {
		add.On = append(add.On, program.Launch{Units: s.Len(), Mul: 64, Div: 256})
	}
	p.Steps = []program.Step{add, add}
	if reduce {
		p.Steps = []program.Step{add, program.AllReduce{Array: "x", Into: "sum"}, add}
	}
	s, err := Launch(context.Background(), Spec{Workload: fixture{prog: p, check: func(*suites.Check) string { return "" }}, Adapters: adapters, Transport: "auto"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	if _, err := s.Verify(context.Background(), false); err != nil {
		b.Fatal(err)
	}
	return s
}
