package fusion

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(score{}) }

type score struct{}

const (
	scoreNumber   = 15
	maxReferences = 1 << 18
	// perInvocation elements share what an invocation reads of the references.
	perInvocation = 4
	// queries of attention share what an invocation reads of the keys.
	queries = 2
)

var (
	scoreInputs     = program.Random(0, -1, 1)
	scoreReferences = program.Random(1, -1, 1)
	// attentionWeights are w1, w2 and w3, exact in float32.
	attentionWeights = [3]float32{0.5, 0.25, 0.75}
)

func (score) Info() suites.Info {
	return suites.Info{
		ID: "fusion/tdc-score", Number: scoreNumber,
		Doc: "Best match of each tropical-dual-Clifford element among references, in each part and combined; " +
			"attention=1: softmax attention over them instead",
		Source:        "Amari",
		Formula:       "T = max of max(a,b) - |a-b|/2, D = min |d_a - d_b|, G = max cosine of c, 0.4 T + 0.3 (1-D) + 0.3 G, a and d scalar components; attention: softmax(0.5 max(a,b) + 0.25 <d,d'> + 0.75 <c,c'>) c'",
		Sizes:         suites.Sizes{S: 512, M: 1 << 18, L: 1 << 22},
		SizeUnit:      "inputs",
		Layout:        "an element is t[8], r[8], d[8], c[8]: tropical, dual value and derivative, Clifford, each in bitmask order; best is T, D, G, combined",
		WorkUnit:      "pair",
		Flops:         "25 per pair; attention 40 and an exponential",
		Bytes:         "144 per input (attention 160) and 128 per reference",
		Splits:        []string{"inputs"},
		Algorithms:    []string{"broadcast"},
		Communication: "broadcast of the references, 128 R B, once",
		Tolerance:     "T and D E0, cosine E2 16 u, combined likewise; attention E2 from the scores' E1",
		Weak:          "inputs proportional to the number of devices",
		Params: []suites.Param{
			{Name: "references", Doc: "references (keys) R", Default: 4096, Min: 1, Max: maxReferences},
			{Name: "attention", Doc: "1: attention", Max: 1},
		},
	}
}

func (score) Build(b suites.Build) (*program.Program, error) {
	r := b.Params["references"]
	if b.Size < 1 || b.Size > maxElements || r < 1 || r > maxReferences {
		return nil, fmt.Errorf("fusion/tdc-score: %d inputs, %d references: choose 1 to %d inputs and 1 to %d references", b.Size, r, int64(maxElements), maxReferences)
	}
	n, pairs := float64(b.Size), float64(b.Size)*float64(r)
	out := program.Array{Name: "best", Elem: program.F32, Layout: program.Split, Units: b.Size, Stride: 4, Output: true}
	p := &program.Program{
		Units: b.Size, Shares: b.Divide(b.Size, 64), Work: pairs,
		Kernels: []program.Kernel{{Name: "main", Shader: "fusion/score"}},
		Setup:   []program.Step{program.Broadcast{Arrays: []string{"y"}}},
		Flops:   25 * pairs, Bytes: 144*n + 128*float64(r),
	}
	push, group := []uint32{uint32(r)}, int64(groupSize*perInvocation)
	if b.Params["attention"] == 1 {
		out.Stride = 8
		p.Kernels[0].Shader = "fusion/attention"
		p.Flops, p.Bytes = 41*pairs, 160*n+128*float64(r)
		group = groupSize * queries
		for _, w := range attentionWeights {
			push = append(push, math.Float32bits(w))
		}
	}
	p.Arrays = []program.Array{out, element("x", program.Split, b.Size, scoreInputs), element("y", program.Replicated, r, scoreReferences)}
	d := program.Dispatch{Label: "compare", Kernel: "main", Bind: []program.Binding{
		{Array: "best", Access: program.Write}, {Array: "x", Access: program.Read}, {Array: "y", Access: program.Read, Window: program.Whole},
	}}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: group, Push: push})
	}
	p.Steps = []program.Step{d}
	return p, nil
}

func (a multivector) dot(b multivector) (sum, magnitude float64) {
	for i, x := range a {
		sum += x * b[i]
		magnitude += math.Abs(x * b[i])
	}
	return sum, magnitude
}

// Verify compares with all references; cosines lie in [-1, 1], attention within the range
// of the values.
func (score) Verify(c *suites.Check) (suites.Outcome, error) {
	seed := c.Build.Seed
	references := make([]tdc, c.Build.Params["references"])
	suites.Spread(int64(len(references)), func(lo, hi int64, _ *suites.Tally) {
		for j := lo; j < hi; j++ {
			references[j] = read(seed, scoreNumber, scoreReferences, j)
		}
	})
	judge, class, self := matches, "E2", "cosine within [-1, 1]"
	if c.Build.Params["attention"] == 1 {
		judge, self = attends, "each output between the least and the largest value"
	}
	tally, err := c.EachUnit("best", c.Program.Units, func(i int64, got []uint32, t *suites.Tally) {
		judge(read(seed, scoreNumber, scoreInputs, i), references, i, got, t)
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome(class, self), nil
}

// best is T and D in float32 and G in float64.
func best(x tdc, references []tdc) (t, d float32, g float64) {
	t, d, g = float32(math.Inf(-1)), float32(math.Inf(1)), math.Inf(-1)
	norm, _ := x.c.dot(x.c)
	for _, y := range references {
		a, b := float32(x.t[0]), float32(y.t[0])
		apart := a - b
		if apart < 0 {
			apart = -apart
		}
		t = max(t, max(a, b)-apart/2)
		off := float32(x.d[0]) - float32(y.d[0])
		if off < 0 {
			off = -off
		}
		d = min(d, off)
		sum, _ := x.c.dot(y.c)
		other, _ := y.c.dot(y.c)
		g = max(g, sum/math.Sqrt(norm*other))
	}
	return t, d, g
}

// matches judges the best matches of one input.
func matches(x tdc, references []tdc, i int64, got []uint32, t *suites.Tally) {
	tropical, dual, cosine := best(x, references)
	t.Float("best", 4*i, got[0], tropical)
	t.Float("best", 4*i+1, got[1], dual)
	t.Near("best", 4*i+2, got[2], cosine, 16*suites.U)
	combined := 0.4*float64(tropical) + 0.3*(1-float64(dual)) + 0.3*cosine
	size := 0.4*math.Abs(float64(tropical)) + 0.3*(1+float64(dual)) + 0.3*math.Abs(cosine)
	t.Near("best", 4*i+3, got[3], combined, suites.E2(6, size, 16*0.3, 1))
	if g := value(got[2]); math.Abs(g) > 1+16*suites.U {
		t.Identity("cosine within [-1, 1]", i, g, 0, 1)
	}
}

// attention is the softmax-weighted sum of the references' Clifford parts in float64, the
// weighted magnitudes and the largest sum of magnitudes of a score.
func attention(x tdc, references []tdc) (out, magnitude multivector, most float64) {
	scores := make([]float64, len(references))
	largest, total := math.Inf(-1), 0.0
	for j, y := range references {
		dual, ds := x.d.dot(y.d)
		clifford, cs := x.c.dot(y.c)
		a := max(x.t[0], y.t[0])
		w := attentionWeights
		scores[j] = float64(w[0])*a + float64(w[1])*dual + float64(w[2])*clifford
		most = max(most, float64(w[0])*math.Abs(a)+float64(w[1])*ds+float64(w[2])*cs)
		largest = max(largest, scores[j])
	}
	for j, y := range references {
		weight := math.Exp(scores[j] - largest)
		total += weight
		for k, v := range y.c {
			out[k] += weight * v
			magnitude[k] += weight * math.Abs(v)
		}
	}
	for k := range out {
		out[k] /= total
		magnitude[k] /= total
	}
	return out, magnitude, most
}

// attends judges the attention of one input: every weight carries twice the score's error,
// the sums E1, and the exponential and the division 8 u.
func attends(x tdc, references []tdc, i int64, got []uint32, t *suites.Tally) {
	want, magnitude, most := attention(x, references)
	relative := 4*suites.E1(16, most) + 2*suites.E1(float64(len(references)), 1) + 16*suites.U
	for k := range want {
		t.Near("best", 8*i+int64(k), got[k], want[k], relative*magnitude[k])
		if v := value(got[k]); math.Abs(v) > 1+relative {
			t.Identity("within the values", i, v, 0, 1)
		}
	}
}
