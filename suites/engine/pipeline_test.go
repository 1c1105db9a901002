package engine

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk/vktest"
)

// pipeline is a program of one stage for each device: stage s of a micro-batch adds
// factor s times w to what stage s-1 made of it. At a time all devices work on different
// micro-batches, each with a kernel launch of its own, and all hand over at once: arrays of
// one micro-batch, or with kept, parts of arrays that hold all of them.
func pipeline(stages int, batches, units int64, factor func(stage int) float32, kept bool) *program.Program {
	const stride = 4 // the kernel's unit is four floats
	local := func(name string, n int64, s program.Source) program.Array {
		return program.Array{Name: name, Layout: program.Local, Units: n, Stride: stride, Source: s}
	}
	between := units
	if kept {
		between *= batches
	}
	y := local("y", batches*units, program.Source{Kind: program.Zero})
	y.Output, y.Distinct = true, true
	counted := program.Source{Kind: program.Iota}
	p := &program.Program{
		Units: int64(stages), Work: 1,
		Arrays:  []program.Array{local("x", batches*units, counted), local("w", units, counted), local("in", between, program.Source{}), local("out", between, program.Source{}), y},
		Kernels: []program.Kernel{{Name: "stage", Shader: "memory/triad"}},
	}
	for s := range stages {
		p.Shares = append(p.Shares, program.Share{Lo: int64(s), Hi: int64(s) + 1})
	}
	for tick := range batches + int64(stages) - 1 {
		send := program.Send{Array: "out", Into: "in"}
		for s := range stages {
			batch := tick - int64(s)
			if batch < 0 || batch >= batches {
				continue
			}
			whole := func(array string, access program.Access) program.Binding {
				return program.Binding{Array: array, Access: access, Window: program.Whole}
			}
			part := func(array string, access program.Access) program.Binding {
				return program.Binding{Array: array, Access: access, Window: program.Fixed, First: batch * units, Units: units}
			}
			from, to := whole("in", program.Read), whole("out", program.Write)
			if kept {
				from, to = part("in", program.Read), part("out", program.Write)
			}
			if s == 0 {
				from = part("x", program.Read)
			}
			if s == stages-1 {
				to = part("y", program.Write)
			} else if pair := (program.Pair{From: s, To: s + 1}); kept {
				pair.At, pair.Into, pair.Units = batch*units, batch*units, units
				send.Pairs = append(send.Pairs, pair)
			} else {
				send.Pairs = append(send.Pairs, pair)
			}
			d := program.Dispatch{
				Label: fmt.Sprintf("stage %d", s), Kernel: "stage", Bind: []program.Binding{to, from, whole("w", program.Read)},
				On: make([]program.Launch, stages),
			}
			d.On[s] = program.Launch{Units: units, Div: 1024, Push: []uint32{math.Float32bits(factor(s))}}
			p.Steps = append(p.Steps, d)
		}
		if len(send.Pairs) > 0 {
			p.Steps = append(p.Steps, send)
		}
	}
	return p
}

// TestPipeline runs three stages with micro-batches on three devices, through every
// transport of software devices. The stages of a tick share a phase: they run at once.
func TestPipeline(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	const stages, batches, units = 3, 5, 700
	factor := func(s int) float32 { return float32(1 + 2*s) }
	p := pipeline(stages, batches, units, factor, false)
	check := expect("y", stages-1, batches*units*4, func(i int64) uint32 {
		v := float32(i)
		for s := range stages {
			v += factor(s) * float32(i%(units*4))
		}
		return math.Float32bits(v)
	})
	for _, transport := range []string{"host", "staging"} {
		outcome(t, fixture{p, check}, adapters, Spec{Transport: transport})
		outcome(t, fixture{pipeline(stages, batches, units, factor, true), check}, adapters, Spec{Transport: transport})
	}
	s, err := Launch(context.Background(), Spec{Workload: fixture{p, func(*suites.Check) string { return "" }}, Adapters: adapters, Transport: "host", Build: suites.Build{Seed: 7}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := s.prepare(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	if want := batches + stages - 1; s.main.stages != want {
		t.Errorf("%d phases for %d ticks", s.main.stages, want)
	}
}
