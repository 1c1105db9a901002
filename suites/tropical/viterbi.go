package tropical

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const viterbiNumber = 8

func init() { suites.Register(viterbi{}) }

type viterbi struct{}

// Philox array ids of viterbi; log probabilities are uniform in [logLo,logHi).
const (
	idTransition, idEmission, idStart, idSymbol = 1, 2, 3, 4
	logLo, logHi                                = float32(-8), float32(0)
	symbols                                     = 64
	maxStates, maxTimes                         = 4096, 1024
	maxSequences                                = 1 << 32
)

func (viterbi) Info() suites.Info {
	return suites.Info{
		ID: "tropical/viterbi", Number: viterbiNumber,
		Doc:           "Viterbi decoding of a batch of sequences of symbols from one hidden Markov model",
		Source:        "Amari",
		Formula:       "d_t(j) = max_i (d_t-1(i) + log A_ij) + log E_j(o_t), then the path back from the best last state, each time by the i that won, found again from the kept d (lowest on ties)",
		Sizes:         suites.Sizes{S: 96, M: 1 << 16, L: 1 << 19},
		SizeUnit:      "sequences",
		Layout:        "by sequence: symbols and path by time, d by time and state; transition and emission by rows, transition transposed for the way back",
		WorkUnit:      "flop",
		Flops:         "2 states^2 per step and sequence, length - 1 steps",
		Arithmetic:    "max-plus",
		Bytes:         "12 per state and step (d: written, read by the next step and on the way back), 8 per step (symbols and path)",
		Splits:        []string{"sequences"},
		Communication: "none",
		Tolerance:     "E0 on path and score, D0",
		Weak:          "sequences proportional to the number of devices",
		Params: []suites.Param{
			{Name: "states", Doc: "hidden states", Default: 128, Min: 1, Max: maxStates},
			{Name: "length", Doc: "symbols of a sequence", Default: 32, Min: 1, Max: maxTimes},
		},
	}
}

// Build divides sequences. All scores are kept, a dispatch for each step: back-pointers for
// every state would cost the inner loop a comparison and two selections a pair, and the way
// back asks for one state a step.
func (viterbi) Build(b suites.Build) (*program.Program, error) {
	states, times := b.Params["states"], b.Params["length"]
	if b.Size < 1 || b.Size > maxSequences || states < 1 || states > maxStates || times < 1 || times > maxTimes {
		return nil, fmt.Errorf("tropical/viterbi: %d sequences of %d with %d states: choose 1 to %d sequences, a length of 1 to %d, 1 to %d states",
			b.Size, times, states, int64(maxSequences), maxTimes, maxStates)
	}
	n, s, l := float64(b.Size), float64(states), float64(times)
	split := func(name string, elem program.Elem, stride int64) program.Array {
		return program.Array{Name: name, Elem: elem, Layout: program.Split, Units: b.Size, Stride: stride}
	}
	table := func(name string, rows int64, id uint32) program.Array {
		return program.Array{Name: name, Layout: program.Replicated, Units: rows, Stride: states, Source: program.Random(id, logLo, logHi)}
	}
	p := &program.Program{
		Units: b.Size, Shares: b.Divide(b.Size, granule),
		Arrays: []program.Array{
			split("path", program.U32, times), split("score", program.F32, 1), split("symbol", program.U32, times), split("d", program.F32, times*states),
			table("transition", states, idTransition), table("emission", symbols, idEmission), table("start", 1, idStart),
			{Name: "transposed", Layout: program.Local, Units: states, Stride: states},
		},
		Kernels: []program.Kernel{
			{Name: "transpose", Shader: "tropical/transpose"},
			{Name: "begin", Shader: "tropical/begin"},
			{Name: "advance", Shader: "tropical/advance"},
			{Name: "backtrack", Shader: "tropical/backtrack", Spec: wide(states)},
		},
		Flops: 2 * n * s * s * (l - 1), Bytes: 4 * n * l * (3*s + 2),
	}
	p.Work = max(p.Flops, n*s) // a single symbol needs no step
	p.Arrays[0].Output, p.Arrays[1].Output = true, true
	p.Arrays[2].Source = program.Source{Kind: program.PhiloxMod, ID: idSymbol, Mod: symbols}
	edge := int64(tile)
	if states%4 == 0 {
		edge, p.Kernels[2] = smallTile, program.Kernel{Name: "advance", Shader: "tropical/advance64"}
	}
	p.Setup = []program.Step{transpose(p, states)}
	p.Steps = []program.Step{sequences(p, "begin", program.Launch{Mul: states, Div: 256}, []uint32{uint32(states), uint32(times)},
		program.Binding{Array: "d", Access: program.Write}, whole("start"), whole("emission"), program.Binding{Array: "symbol"})}
	for t := int64(1); t < times; t++ {
		push := []uint32{uint32(states), uint32(states), uint32(times * states), uint32((t - 1) * states), uint32(t * states), uint32(times), uint32(t)}
		step := sequences(p, "advance", program.Launch{Div: edge, Across: ceilDiv(states, edge)}, push,
			program.Binding{Array: "d", Access: program.ReadWrite}, whole("transition"), whole("emission"), program.Binding{Array: "symbol"})
		step.Align = edge
		p.Steps = append(p.Steps, step)
	}
	back := sequences(p, "backtrack", program.Launch{Div: backtrackUnits}, []uint32{uint32(states), uint32(times)},
		program.Binding{Array: "path", Access: program.Write}, program.Binding{Array: "score", Access: program.Write},
		program.Binding{Array: "d"}, whole("transposed"))
	back.Align = backtrackUnits
	p.Steps = append(p.Steps, back)
	return p, nil
}

// backtrackUnits is the number of sequences of a work-group on the way back.
const backtrackUnits = 32

// transpose makes, on every device, rows of the states come from for each state gone to.
func transpose(p *program.Program, states int64) program.Dispatch {
	d := program.Dispatch{Label: "transpose", Kernel: "transpose", Bind: []program.Binding{
		{Array: "transposed", Access: program.Write, Window: program.Whole}, whole("transition"),
	}}
	for range p.Shares {
		d.On = append(d.On, program.Launch{Units: 1, Across: ceilDiv(states*states, 256), Push: []uint32{uint32(states)}})
	}
	return d
}

func whole(array string) program.Binding {
	return program.Binding{Array: array, Window: program.Whole}
}

// sequences is a dispatch over every device's own units with the grid of launch.
func sequences(p *program.Program, kernel string, launch program.Launch, push []uint32, bind ...program.Binding) program.Dispatch {
	d := program.Dispatch{Label: kernel, Kernel: kernel, Bind: bind}
	for _, s := range p.Shares {
		launch.Units, launch.Push = s.Len(), push
		d.On = append(d.On, launch)
	}
	return d
}

// model is the hidden Markov model: rows of transition are the states come from, rows of
// emission are symbols.
type model struct {
	states                      int64
	transition, emission, start []float32
}

func newModel(seed uint64, states int64) model {
	table := func(id uint32, rows int64) []float32 {
		out := make([]float32, rows*states)
		s := suites.Stream{Seed: seed, Workload: viterbiNumber, Array: id}
		for i := range out {
			out[i] = s.F32(int64(i), logLo, logHi)
		}
		return out
	}
	return model{states, table(idTransition, states), table(idEmission, symbols), table(idStart, 1)}
}

// decode is the best path for a sequence of symbols and its score, in float32 as on the
// device.
func (m model) decode(symbol []uint32) (path []uint32, score float32) {
	n := m.states
	emit := func(t int, j int64) float32 { return m.emission[int64(symbol[t])*n+j] }
	d := make([]float32, n)
	for j := range d {
		d[j] = m.start[j] + emit(0, int64(j))
	}
	back := make([]uint32, int64(len(symbol))*n)
	for t := 1; t < len(symbol); t++ {
		next, from := make([]float32, n), back[int64(t)*n:int64(t+1)*n]
		for j := range next {
			next[j] = zero(false)
		}
		for i := range n {
			for j, a := range m.transition[i*n : (i+1)*n] {
				if sum := d[i] + a; sum > next[j] {
					next[j], from[j] = sum, uint32(i)
				}
			}
		}
		for j := range next {
			next[j] += emit(t, int64(j))
		}
		d = next
	}
	best := uint32(0)
	for j := range d {
		if d[j] > d[best] {
			best = uint32(j)
		}
	}
	score = d[best]
	path = make([]uint32, len(symbol))
	for t := len(symbol) - 1; t >= 0; t-- {
		path[t] = best
		best = back[int64(t)*n+int64(best)]
	}
	return path, score
}

// weigh is the score of a path, added in the same order.
func (m model) weigh(symbol, path []uint32) float32 {
	sum := m.start[path[0]] + m.emission[int64(symbol[0])*m.states+int64(path[0])]
	for t := 1; t < len(path); t++ {
		sum += m.transition[int64(path[t-1])*m.states+int64(path[t])]
		sum += m.emission[int64(symbol[t])*m.states+int64(path[t])]
	}
	return sum
}

// Verify compares paths and scores bit for bit, and checks that the score is that of the
// device's path.
func (viterbi) Verify(c *suites.Check) (suites.Outcome, error) {
	m, times := newModel(c.Build.Seed, c.Build.Params["states"]), c.Build.Params["length"]
	in := suites.Stream{Seed: c.Build.Seed, Workload: viterbiNumber, Array: idSymbol}
	scores, err := c.Out.Words("score", 0, c.Program.Units)
	if err != nil {
		return suites.Outcome{}, err
	}
	tally, err := c.EachUnit("path", c.Program.Units, func(u int64, got []uint32, t *suites.Tally) {
		symbol := make([]uint32, times)
		for i := range symbol {
			symbol[i] = in.Word(u*times+int64(i)) % symbols
		}
		path, score := m.decode(symbol)
		valid := true
		for i, state := range path {
			t.Bits("path", u*times+int64(i), got[i], state)
			valid = valid && int64(got[i]) < m.states
		}
		t.Float("score", u, scores[u], score)
		if valid {
			weight := m.weigh(symbol, got)
			t.Identity("score = weight of the path", u, float64(score), float64(weight), 0)
		}
	})
	return tally.Outcome("E0", "score = weight of the path"), err
}
