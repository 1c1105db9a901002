package memory

import (
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// scalar is the factor s of the triad, McCalpin's 3.
const scalar = float32(3)

func init() { suites.Register(triad{}) }

type triad struct{}

var triadKernel = elementwise{
	shader: "memory/triad", out: "a", x: "b", y: "c",
	flops: 2, push: []uint32{math.Float32bits(scalar)},
}

func (triad) Info() suites.Info {
	return suites.Info{
		ID: "memory/triad", Number: 43,
		Doc:           "STREAM triad: the yardstick for memory bandwidth",
		Source:        "McCalpin 1995 (STREAM)",
		Formula:       "a[i] = b[i] + s c[i], s = 3",
		Sizes:         suites.Sizes{S: 1 << 20, M: 1 << 26, L: 1 << 30},
		SizeUnit:      "elements per array",
		WorkUnit:      "B",
		Flops:         "2 per element",
		Bytes:         "12 per element",
		Splits:        []string{"ranges"},
		Communication: "none",
		Roof:          "memory",
		Tolerance:     "E0",
		Weak:          "elements proportional to the number of devices",
		Tunables:      tunables(),
	}
}

func (triad) Build(b suites.Build) (*program.Program, error) { return triadKernel.build(b) }

func (w triad) Verify(c *suites.Check) (suites.Outcome, error) {
	return triadKernel.verify(c, w.Info().Number, triadElement)
}

// triadElement rounds the product and the sum, as the kernel's `precise` does.
func triadElement(b, c float32) float32 { return b + float32(scalar*c) }
