package linalg

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const conv2dNumber = 40

func init() { suites.Register(conv2d{}) }

type conv2d struct{}

const (
	idImage, idFilter = 0, 1
	maxFilter         = 11
	maxImage          = 1 << 20
)

// The constants of the kernel: an invocation makes strip rows of four columns, a work-group
// that many of them side by side. On a Hopper GPU 128 rows and 256 invocations are 5 % faster
// at 8192 x 8192 than 86 and 128, which spend 8 rows in 94 on no output.
var (
	convGroup = suites.Tunable{
		Name: "group", Doc: "invocations of a work-group", Values: []int64{32, 64, 128, 256}, Default: 256,
		Else: []suites.ClassDefault{
			{Class: suites.AMD, Value: 64, Why: "the filter and its sums take most registers: one wavefront a group is the finest grain to fill what is left"},
			{Class: suites.Intel, Value: 32, Why: "the filter and its sums take most registers: two threads of 16 invocations a group"},
		},
	}
	convStrip = suites.Tunable{
		Name: "strip", Doc: "rows of a column of four that an invocation makes", Values: []int64{16, 32, 43, 64, 86, 128, 172}, Default: 128,
	}
)

// The operands are uniform in [-1,1).
var convImage, convFilter = program.Random(idImage, -1, 1), program.Random(idFilter, -1, 1)

func (conv2d) Info() suites.Info {
	return suites.Info{
		ID: "linalg/conv2d", Number: conv2dNumber,
		Doc:           "Valid cross-correlation of one channel with a square filter",
		Source:        "gocuda",
		Formula:       "y[r][c] = sum over i, j of k[i][j] x[r+i][c+j]",
		Sizes:         suites.Sizes{S: 256, M: 8192, L: 32000}, // arrays below 4 GiB, what one binding shows
		SizeUnit:      "rows and columns of the input",
		WorkUnit:      "flop",
		Flops:         "2 f^2 per output, (H-f+1) (W-f+1) outputs",
		Bytes:         "4 per element of input and output",
		Splits:        []string{"bands"},
		Communication: "halo of f-1 rows once, before the first iteration",
		Tolerance:     "E1 (n = f^2), D0",
		Weak:          "rows proportional to the number of devices, columns fixed",
		Params:        []suites.Param{{Name: "filter", Doc: "rows and columns f of the filter", Default: 9, Min: 1, Max: maxFilter}},
		Tunables:      []suites.Tunable{convGroup, convStrip},
	}
}

// image is the shape of the problem; pitches are elements from row to row.
type image struct{ rows, columns, filter, inPitch, outPitch int64 }

func imageOf(b suites.Build) (image, error) {
	m := image{rows: b.Size, columns: b.Size, filter: b.Params["filter"]}
	if b.Weak {
		m.columns = b.Base
	}
	if m.columns < m.filter || m.rows < m.filter || m.columns > maxImage || m.rows > maxImage*4096 {
		return m, fmt.Errorf("linalg/conv2d: %d rows of %d columns with a filter of %d: choose a size from %d to %d",
			m.rows, m.columns, m.filter, m.filter, int64(maxImage))
	}
	m.outPitch = (m.columns - m.filter + 1 + 3) / 4 * 4
	m.inPitch = m.outPitch + (m.filter+6)/4*4 - 4 // the last invocation of a row reads to its end
	m.inPitch = max(m.inPitch, (m.columns+3)/4*4)
	return m, nil
}

// outputs is the number of outputs in the sense of the formula.
func (m image) outputs() float64 {
	return float64(m.rows-m.filter+1) * float64(m.columns-m.filter+1)
}

// Build divides rows of x and y alike. The last f-1 rows of y lie beyond the formula: they
// see zeros below the image and are not counted as work.
func (conv2d) Build(b suites.Build) (*program.Program, error) {
	m, err := imageOf(b)
	if err != nil {
		return nil, err
	}
	group, err := b.Group(convGroup)
	if err != nil {
		return nil, err
	}
	strip := b.Tuned(convStrip)
	halo := m.filter - 1
	p := &program.Program{
		Units: m.rows, Shares: b.Divide(m.rows, 1),
		Arrays: []program.Array{
			{Name: "y", Elem: program.F32, Layout: program.Split, Units: m.rows, Stride: m.outPitch, Output: true},
			{Name: "x", Elem: program.F32, Layout: program.Split, Units: m.rows, Stride: m.inPitch, Halo: halo, Source: convImage},
			{Name: "k", Elem: program.F32, Layout: program.Replicated, Units: 1, Stride: m.filter * m.filter, Source: convFilter},
		},
		Kernels: []program.Kernel{{Name: "main", Shader: "linalg/conv2d", Spec: []program.Spec{{ID: 0, Value: uint32(group)}, {ID: 1, Value: uint32(m.filter)}}}},
		Flops:   2 * float64(m.filter*m.filter) * m.outputs(),
		Bytes:   4 * (m.outputs() + float64(m.rows)*float64(m.columns)),
	}
	p.Work = p.Flops
	if halo > 0 {
		p.Setup = []program.Step{program.Exchange{Arrays: []string{"x"}}}
	}
	across := (m.outPitch/4 + group - 1) / group
	d := program.Dispatch{
		Label: "convolve", Kernel: "main",
		Bind: []program.Binding{
			{Array: "y", Access: program.Write},
			{Array: "x", Access: program.Read, After: halo},
			{Array: "k", Access: program.Read, Window: program.Whole},
		},
	}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{
			Units: s.Len(), Div: strip, Across: across,
			Push: []uint32{uint32(m.inPitch), uint32(m.outPitch), uint32(strip), uint32(across)},
		})
	}
	p.Steps = []program.Step{d}
	return p, nil
}

// Verify compares whole rows with sums in float64.
func (conv2d) Verify(c *suites.Check) (suites.Outcome, error) {
	m, err := imageOf(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	stream := func(id uint32) suites.Stream {
		return suites.Stream{Seed: c.Build.Seed, Workload: conv2dNumber, Array: id}
	}
	taps := make([]float64, m.filter*m.filter)
	for i := range taps {
		taps[i] = float64(stream(idFilter).F32(int64(i), convFilter.A, convFilter.B))
	}
	xs := stream(idImage)
	tally, err := c.EachUnit("y", m.rows-m.filter+1, func(r int64, got []uint32, t *suites.Tally) {
		width := m.columns
		window := make([]float64, m.filter*width)
		for i := range m.filter {
			for j := range width {
				window[i*width+j] = float64(xs.F32((r+i)*m.inPitch+j, convImage.A, convImage.B))
			}
		}
		for col := range m.columns - m.filter + 1 {
			sum, magnitude := correlate(window[col:], width, taps, m.filter)
			t.Near("y", r*m.outPitch+col, got[col], sum, suites.E1(float64(len(taps)), magnitude))
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E1", ""), nil
}

// correlate is one output and the sum of the magnitudes of its terms.
func correlate(window []float64, width int64, taps []float64, f int64) (sum, magnitude float64) {
	for i := range f {
		for j := range f {
			term := window[i*width+j] * taps[i*f+j]
			sum += term
			magnitude += max(term, -term)
		}
	}
	return sum, magnitude
}
