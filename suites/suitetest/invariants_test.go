package suitetest_test

import (
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// good is a program over two devices with one halo exchange and one dispatch.
func good() *program.Program {
	return &program.Program{
		Units: 10, Shares: []program.Share{{Lo: 0, Hi: 6}, {Lo: 6, Hi: 10}}, Work: 1,
		Arrays: []program.Array{
			{Name: "a", Layout: program.Split, Units: 10, Stride: 2, Halo: 3, Wrap: true, Output: true},
			{Name: "all", Layout: program.Replicated, Units: 10, Stride: 2},
		},
		Kernels: []program.Kernel{{Name: "k", Shader: "engine/copy"}},
		Steps: []program.Step{
			program.Exchange{Arrays: []string{"a"}, Depth: 2},
			program.Repeat{Times: 2, Body: []program.Step{program.Dispatch{
				Label: "d", Kernel: "k",
				Bind: []program.Binding{{Array: "a", Before: 1, After: 1}, {Array: "all"}},
				On:   []program.Launch{{Units: 6}, {Units: 4, First: 0}},
			}}},
			program.AllGather{Arrays: []string{"all"}},
		},
	}
}

func TestInvariants(t *testing.T) {
	if err := suitetest.Invariants(good(), 2); err != nil {
		t.Fatalf("a good program: %v", err)
	}
	inner := func(p *program.Program) *program.Dispatch {
		d := p.Steps[1].(program.Repeat).Body[0].(program.Dispatch)
		p.Steps[1] = d
		return &d
	}
	for want, spoil := range map[string]func(*program.Program){
		"shares end at":        func(p *program.Program) { p.Shares[1].Hi = 9 },
		"loads [1] for":        func(p *program.Program) { p.Loads = []int64{1} },
		"loads [0 0] for":      func(p *program.Program) { p.Loads = []int64{0, 0} },
		"expected it to":       func(p *program.Program) { p.Shares[1].Lo = 5 },
		"has 9 units":          func(p *program.Program) { p.Arrays[0].Units = 9 },
		"named twice":          func(p *program.Program) { p.Arrays[1].Name = "a" },
		"not divided but":      func(p *program.Program) { p.Arrays[1].Halo = 1 },
		"no array is":          func(p *program.Program) { p.Arrays[0].Output = false },
		"unknown shader":       func(p *program.Program) { p.Kernels[0].Shader = "engine/nothing" },
		"work of 0":            func(p *program.Program) { p.Work = 0 },
		"depth 4 over":         func(p *program.Program) { p.Steps[0] = program.Exchange{Arrays: []string{"a"}, Depth: 4} },
		"does not fit the":     func(p *program.Program) { p.Steps[2] = program.AllGather{Arrays: []string{"a"}} },
		"repeat 0 times":       func(p *program.Program) { p.Steps[1] = program.Repeat{} },
		"shapes do not fit":    func(p *program.Program) { p.Steps[0] = program.AllReduce{Array: "a", Into: "all"} },
		"no such array":        func(p *program.Program) { p.Steps[0] = program.AllReduce{Array: "a", Into: "b"} },
		"no kernel":            func(p *program.Program) { d := inner(p); d.Kernel = "x"; p.Steps[1] = *d },
		"1 launches for 2":     func(p *program.Program) { d := inner(p); d.On = d.On[:1]; p.Steps[1] = *d },
		"push words":           func(p *program.Program) { d := inner(p); d.On[0].Push = make([]uint32, 28); p.Steps[1] = *d },
		"shows units [-1,":     func(p *program.Program) { d := inner(p); d.On[0].First = -3; p.Steps[1] = *d },
		"binding of all shows": func(p *program.Program) { d := inner(p); d.On[1].Units = 5; p.Steps[1] = *d },
	} {
		p := good()
		spoil(p)
		if err := suitetest.Invariants(p, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestMemoryBounds(t *testing.T) {
	m := suitetest.Memory{Arrays: map[string][]uint32{"a": {1, 2, 3}}}
	if got, err := m.Words("a", 1, 2); err != nil || got[0] != 2 {
		t.Errorf("%v %v", got, err)
	}
	for _, c := range [][2]int64{{-1, 1}, {2, 2}, {0, -1}} {
		if _, err := m.Words("a", c[0], c[1]); err == nil {
			t.Errorf("elements %v were read", c)
		}
	}
	if _, err := m.Words("b", 0, 1); err == nil {
		t.Error("a missing array was read")
	}
}
