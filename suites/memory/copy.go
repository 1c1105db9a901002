package memory

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(duplicate{}) }

// duplicate is memory/copy.
type duplicate struct{}

var duplicateKernel = elementwise{shader: "memory/copy", out: "c", x: "a"}

func (duplicate) Info() suites.Info {
	return suites.Info{
		ID: "memory/copy", Number: 43,
		Doc:           "STREAM copy by a kernel: as much written as read",
		Source:        "McCalpin 1995 (STREAM)",
		Formula:       "c[i] = a[i]",
		Sizes:         suites.Sizes{S: 1 << 20, M: 1 << 26, L: 1 << 30},
		SizeUnit:      "elements per array",
		WorkUnit:      "B",
		Flops:         "0",
		Bytes:         "8 per element",
		Splits:        []string{"ranges"},
		Communication: "none",
		Roof:          "memory",
		Tolerance:     "E0",
		Weak:          "elements proportional to the number of devices",
		Tunables:      tunables(),
	}
}

func (duplicate) Build(b suites.Build) (*program.Program, error) { return duplicateKernel.build(b) }

func (w duplicate) Verify(c *suites.Check) (suites.Outcome, error) {
	return duplicateKernel.verify(c, w.Info().Number, func(a, _ float32) float32 { return a })
}
