package memory

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// The constants of the elementwise kernels (shaders/memory/stream.glsl).
var (
	group = suites.Tunable{
		Name: "group", Doc: "invocations of a work-group", Values: []int64{64, 128, 256, 512, 1024}, Default: 256,
	}
	vectors = suites.Tunable{
		Name: "vectors", Doc: "accesses of an invocation whose loads are issued together", Values: []int64{1, 2, 4, 8}, Default: 4,
		Else: []suites.ClassDefault{
			{Class: suites.AMD, Value: 2, Why: "up to 2,560 invocations in flight on a compute unit hide latency with fewer loads each"},
			{Class: suites.Intel, Value: 2, Why: "a thread's 128 registers serve 16 invocations: 8 accesses of 16 bytes would take half of them"},
		},
	}
	turns = suites.Tunable{
		Name: "turns", Doc: "blocks that a work-group takes one after another", Values: []int64{1, 2, 4, 8}, Default: 1,
	}
	width = suites.Tunable{
		Name: "width", Doc: "floats of one access", Values: []int64{1, 2, 4}, Default: 4,
	}
)

// shape is how an elementwise kernel is cut into work-groups.
type shape struct{ group, vectors, turns, width int64 }

func shapeOf(b suites.Build) (shape, error) {
	g, err := b.Group(group)
	return shape{g, b.Tuned(vectors), b.Tuned(turns), b.Tuned(width)}, err
}

// units are those of a work-group.
func (s shape) units() int64 { return s.turns * s.vectors * s.group * s.width / unit }

func (s shape) spec() []program.Spec {
	return []program.Spec{{ID: 0, Value: uint32(s.group)}, {ID: 1, Value: uint32(s.vectors)}, {ID: 2, Value: uint32(s.turns)}, {ID: 3, Value: uint32(s.width)}}
}

// tunables of the elementwise kernels.
func tunables() []suites.Tunable { return []suites.Tunable{group, vectors, turns, width} }
