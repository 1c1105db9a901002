package tropical

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const attentionNumber = 7

func init() { suites.Register(attention{}) }

type attention struct{}

// Philox array ids of queries, keys and values.
const idQuery, idKey, idValue = 1, 2, 3

// maxKeys keeps their numbers exact in float32, in which the kernel carries them.
const maxKeys, maxDim = 1 << 24, 1024

func (attention) Info() suites.Info {
	return suites.Info{
		ID: "tropical/attention", Number: attentionNumber,
		Doc:           "attention over the max-plus semiring: each query takes the value of the key with the largest score",
		Source:        "Amari",
		Formula:       "s_qk = max_d (Q_qd + K_kd), k* = argmax_k s_qk (lowest k on ties), out_q = V_k*",
		Sizes:         suites.Sizes{S: 256, M: 32768, L: 131072},
		SizeUnit:      "queries, and as many keys",
		Layout:        "by rows: a query, a key, a value each",
		WorkUnit:      "flop",
		Flops:         "2 Tq Tk D",
		Arithmetic:    "max-plus",
		Bytes:         "4 (2 Tq D + 2 Tk D + Tq)",
		Splits:        []string{"queries"},
		Communication: "K and V are broadcast once, 8 Tk D B",
		Tolerance:     "E0: scores and winners exact, D0",
		Weak:          "queries proportional to the number of devices, keys fixed",
		Params:        []suites.Param{{Name: "dim", Doc: "components D of queries, keys and values", Default: 64, Min: 1, Max: maxDim}},
	}
}

func (attention) Build(b suites.Build) (*program.Program, error) {
	queries, keys := shape(b)
	dim := b.Params["dim"]
	if queries < 1 || keys < 1 || keys > maxKeys || queries > maxEdge || dim < 1 || dim > maxDim {
		return nil, fmt.Errorf("tropical/attention: %d queries, %d keys, %d components: choose a size from 1 to %d and a dim of 1 to %d", queries, keys, dim, maxKeys, maxDim)
	}
	if limit := b.Limits.BindingBytes; limit > 0 && 4*keys*dim > limit-slackBytes {
		return nil, fmt.Errorf("tropical/attention: %d keys of %d components do not fit a binding of %d bytes: choose a size up to %d", keys, dim, limit, (limit-slackBytes)/(4*dim))
	}
	q, k, d := float64(queries), float64(keys), float64(dim)
	p := &program.Program{
		Units: queries, Shares: b.Divide(queries, granule),
		Arrays: []program.Array{
			{Name: "out", Layout: program.Split, Units: queries, Stride: dim, Output: true},
			{Name: "winner", Elem: program.U32, Layout: program.Split, Units: queries, Stride: 1, Output: true},
			{Name: "Q", Layout: program.Split, Units: queries, Stride: dim, Source: program.Random(idQuery, lo, hi)},
			{Name: "K", Layout: program.Replicated, Units: keys, Stride: dim, Source: program.Random(idKey, lo, hi)},
			{Name: "V", Layout: program.Replicated, Units: keys, Stride: dim, Source: program.Random(idValue, lo, hi)},
		},
		Kernels: []program.Kernel{{Name: "attend", Shader: "tropical/attention"}},
		Setup:   []program.Step{program.Broadcast{Arrays: []string{"K", "V"}}},
		Work:    2 * q * k * d, Flops: 2 * q * k * d, Bytes: 4 * (2*q*d + 2*k*d + q),
	}
	if dim%4 == 0 {
		p.Kernels[0].Spec = []program.Spec{{ID: 1, Value: 1}}
	}
	step := program.Dispatch{
		Label: "attend", Kernel: "attend", Align: tile,
		Bind: []program.Binding{
			{Array: "out", Access: program.Write},
			{Array: "winner", Access: program.Write},
			{Array: "Q", Access: program.Read},
			{Array: "K", Access: program.Read, Window: program.Whole},
			{Array: "V", Access: program.Read, Window: program.Whole},
		},
	}
	for _, s := range p.Shares {
		step.On = append(step.On, program.Launch{Units: s.Len(), Div: tile, Push: []uint32{uint32(dim), uint32(keys)}})
	}
	p.Steps = []program.Step{step}
	return p, nil
}

// attend is the winner of a query among keys of the same length, row by row, and its score.
func attend(query, keys []float32) (winner int64, best float32) {
	best = zero(false)
	for k := range int64(len(keys) / len(query)) {
		score := zero(false)
		for d, x := range keys[k*int64(len(query)) : (k+1)*int64(len(query))] {
			score = max(score, query[d]+x)
		}
		if score > best {
			winner, best = k, score
		}
	}
	return winner, best
}

// Verify compares winners and values bit for bit.
func (attention) Verify(c *suites.Check) (suites.Outcome, error) {
	queries, keys := shape(c.Build)
	dim, seed := c.Build.Params["dim"], c.Build.Seed
	stream := func(id uint32) suites.Stream {
		return suites.Stream{Seed: seed, Workload: attentionNumber, Array: id}
	}
	all := vector(stream(idKey), 0, keys*dim)
	wins := make([]int64, queries)
	tally, err := c.EachUnit("out", queries, func(q int64, got []uint32, t *suites.Tally) {
		wins[q], _ = attend(vector(stream(idQuery), q*dim, dim), all)
		for d, x := range vector(stream(idValue), wins[q]*dim, dim) {
			t.Float("out", q*dim+int64(d), got[d], x)
		}
		wins[q]++ // 0: not looked at
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	got, err := c.Out.Words("winner", 0, queries)
	if err != nil {
		return suites.Outcome{}, err
	}
	for q, k := range wins {
		if k > 0 {
			tally.Bits("winner", int64(q), got[q], uint32(k-1))
		} else {
			tally.Identity("winner is a key", int64(q), float64(min(int64(got[q]), keys-1)), float64(got[q]), 0)
		}
	}
	return tally.Outcome("E0", "every winner is a key"), nil
}

// vector is n elements of an input from element first on.
func vector(s suites.Stream, first, n int64) []float32 {
	out := make([]float32, n)
	suites.Spread(n, func(from, to int64, _ *suites.Tally) {
		for i := from; i < to; i++ {
			out[i] = s.F32(first+i, lo, hi)
		}
	})
	return out
}
