package memory

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(vectorAdd{}) }

type vectorAdd struct{}

var vectorAddKernel = elementwise{shader: "memory/vector_add", out: "c", x: "a", y: "b", flops: 1}

func (vectorAdd) Info() suites.Info {
	return suites.Info{
		ID: "memory/vector-add", Number: 35,
		Doc:           "Sum of two vectors",
		Source:        "SuperVM",
		Formula:       "c[i] = a[i] + b[i]",
		Sizes:         suites.Sizes{S: 1 << 20, M: 1 << 26, L: 1 << 30},
		SizeUnit:      "elements per array",
		WorkUnit:      "B",
		Flops:         "1 per element",
		Bytes:         "12 per element",
		Splits:        []string{"ranges"},
		Communication: "none",
		Tolerance:     "E0",
		Weak:          "elements proportional to the number of devices",
		Tunables:      tunables(),
	}
}

func (vectorAdd) Build(b suites.Build) (*program.Program, error) { return vectorAddKernel.build(b) }

func (w vectorAdd) Verify(c *suites.Check) (suites.Outcome, error) {
	return vectorAddKernel.verify(c, w.Info().Number, func(a, b float32) float32 { return a + b })
}
