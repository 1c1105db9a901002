package engine

import (
	"testing"

	"github.com/amgpu/amgpu/suites/program"
)

// The hash knows which shaders a program runs, not in which order or how often it
// names them; modules of the user's own are not in it.
func TestShadersOf(t *testing.T) {
	of := func(names ...string) string {
		p := &program.Program{}
		for _, name := range names {
			p.Kernels = append(p.Kernels, program.Kernel{Name: name, Shader: name})
		}
		return ShadersOf(p)
	}
	one, two := of("automata/life"), of("automata/life", "automata/life4")
	if len(one) != 64 || len(two) != 64 || one == two {
		t.Errorf("%q and %q", one, two)
	}
	if of("automata/life4", "automata/life", "automata/life") != two {
		t.Error("the order or the number of kernels is in the hash")
	}
	own := program.Kernel{Name: "own", Shader: "own/x", Module: &program.Module{}}
	if got := ShadersOf(&program.Program{Kernels: []program.Kernel{own}}); got != "" {
		t.Errorf("an own kernel gives %q", got)
	}
}
