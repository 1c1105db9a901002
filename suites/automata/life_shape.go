package automata

import (
	"fmt"
	"math/bits"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// The constants of the kernels. A pass of several steps has a kernel of its own, with a
// shape of its own.
var (
	lifeGroup = suites.Tunable{
		Name: "group", Doc: "invocations of a work-group (passes of one step)", Values: []int64{64, 128, 256}, Default: 256,
		Else: []suites.ClassDefault{
			{Class: suites.AMD, Value: 128, Why: "nothing is shared: small groups leave no wavefront waiting for others to end"},
		},
	}
	lifeRows = suites.Tunable{
		Name: "rows", Doc: "rows below each other that an invocation makes (passes of one step)", Values: []int64{1, 2, 4, 8}, Default: 2,
		Else: []suites.ClassDefault{
			{Class: suites.AMD, Value: 4, Why: "6 rows read for 4 made instead of 4 for 2: the cache near a compute unit is a tenth of Hopper's"},
			{Class: suites.Intel, Value: 4, Why: "6 rows read for 4 made instead of 4 for 2"},
		},
	}
	lifeWidth = suites.Tunable{
		Name: "width", Doc: "words beside each other that an invocation makes, in rows that are multiples of 4 (passes of one step)", Values: []int64{1, 4}, Default: 4,
	}
	lifePass = suites.Tunable{
		Name: "pass", Doc: "steps of one pass over the board", Values: []int64{1, 2, 4, 8}, Default: 4,
		Else: []suites.ClassDefault{
			{Class: suites.Software, Value: 1, Why: "a cache holds what the next step reads; shared memory and barriers are emulated"},
		},
	}
)

// lifeShape is how a board is gone through.
type lifeShape struct {
	board
	group, rows, width, pass int64
}

func (bd board) shape(b suites.Build) (lifeShape, error) {
	group, err := b.Group(lifeGroup)
	s := lifeShape{bd, group, b.Tuned(lifeRows), b.Tuned(lifeWidth), b.Tuned(lifePass)}
	if bd.words%wide != 0 {
		s.width = 1
	}
	return s, err
}

// A work-group of the kernel of several steps covers passWords and passRows less two for
// every step.
const passWords, passRows = 62, 64

func passName(steps int64) string { return fmt.Sprintf("pass%d", steps) }

// kernels are those of blocks of up to halo steps.
func (s lifeShape) kernels(halo int64) []program.Kernel {
	shader := "automata/life"
	if s.width == wide {
		shader = "automata/life4"
	}
	list := []program.Kernel{{Name: passName(1), Shader: shader, Spec: []program.Spec{{ID: 0, Value: uint32(s.group)}, {ID: 1, Value: uint32(s.rows)}}}}
	for steps := int64(2); steps <= min(s.pass, halo); steps++ {
		list = append(list, program.Kernel{Name: passName(steps), Shader: "automata/life_pass", Spec: []program.Spec{{ID: 1, Value: uint32(steps)}}})
	}
	return list
}

// launch shapes the work-groups of a pass. For one step: 2^k columns, enough for narrow
// rows and at most the whole group, times as many row blocks as fit.
func (s lifeShape) launch(steps int64) program.Launch {
	if steps > 1 {
		return program.Launch{Div: passRows - 2*steps, Across: (s.words + passWords - 1) / passWords, Push: []uint32{uint32(s.words)}}
	}
	columns := s.words / s.width
	logCols := min(bits.Len64(uint64(columns-1)), bits.Len64(uint64(s.group))-1)
	cols := int64(1) << logCols
	return program.Launch{
		Div: s.group / cols * s.rows, Across: (columns + cols - 1) / cols,
		Push: []uint32{uint32(s.words), uint32(logCols)},
	}
}
