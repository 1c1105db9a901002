package network

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// iteration is x' = f(x, sum over neighbours of what they sent), repeated: PageRank and
// diffusion. After each step everyone receives what all nodes send and the sums over all.
type iteration struct {
	id     string
	number uint32
	mode   uint32 // of the kernels
	// damping of a step; what every node gets besides.
	damping, teleport, spread func(b suites.Build, n int64) float32
	first                     func(n int64) float32 // of every node; mode 0
	scale                     func(g *graph, i int64) float32
}

// chunkOf is the rows of a unit, a multiple of 256 that gives 16384 units at most for up to
// 2^27 nodes.
func chunkOf(n int64) int64 {
	chunk := int64(256)
	for chunk < 8192 && n/chunk > 16384 {
		chunk *= 2
	}
	return chunk
}

func (it iteration) build(b suites.Build) (*program.Program, error) {
	if b.Weak && b.Input != "" {
		return nil, fmt.Errorf("%s: a graph from a file has one size: use strong mode, or weak mode without an input", it.id)
	}
	g, err := graphOf(it.number, b, sorted(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", it.id, err)
	}
	n, chunk, rows := g.n, chunkOf(g.n), g.lay()
	chunks, shares := g.divide(b, chunk)
	if rows.longest > mostGroups {
		return nil, fmt.Errorf("%s: a node has more than %d edges that lead to it: choose a smaller graph", it.id, int64(mostGroups)*groupEdges)
	}
	if limit := b.Limits.BindingBytes; limit > 0 {
		for d, s := range shares {
			if bytes := max(g.groups(s, chunk)*groupEdges*4, chunks*chunk*4+256); bytes > limit {
				return nil, fmt.Errorf("%s: %d bytes of edges or nodes on device %d do not fit a binding of %d: choose a smaller graph or more devices",
					it.id, bytes, d, limit)
			}
		}
	}
	steps := b.Params["steps"]
	if steps%2 != 0 {
		return nil, fmt.Errorf("%s: %d steps: choose an even number, states alternate between two arrays", it.id, steps)
	}
	split := func(name string, source program.Source) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: chunks, Stride: chunk, Source: source}
	}
	all := func(name string) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Replicated, Units: chunks, Stride: chunk}
	}
	mass := func(name string) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Local, Units: 1, Stride: 2}
	}
	first := split("x0", program.Source{Kind: program.PhiloxF32, ID: idState, B: 1})
	first.Output = true
	scale := split("scale", program.Source{Kind: program.Made, Make: func(_ int, at int64, into []uint32) {
		for k := range into {
			into[k] = 0
			if i := at + int64(k); i < n {
				into[k] = math.Float32bits(it.scale(g, i))
			}
		}
	}})
	mass0 := mass("mass0")
	mass0.Output = true
	p := &program.Program{
		Units: chunks, Shares: shares,
		Arrays: append([]program.Array{
			first, split("x1", program.Source{}), scale, all("sent0"), all("sent1"),
			{Name: "partials", Elem: program.F32, Layout: program.Split, Units: chunks, Stride: 2}, mass0, mass("mass1"),
		}, rows.arrays(chunk, shares, chunks)...),
		Kernels: []program.Kernel{
			{Name: "start", Shader: "network/start", Spec: []program.Spec{{ID: 1, Value: it.mode}}},
			{Name: "pull", Shader: "network/pull", Spec: []program.Spec{{ID: 1, Value: it.mode}, {ID: 2, Value: rows.stretch()}}},
		},
		Evolves: true,
		Work:    float64(max(g.edges, 1)) * float64(steps),
	}
	p.Flops = 2 * p.Work
	p.Bytes = (8*float64(g.edges) + 12*float64(n)) * float64(steps)
	p.Setup = append([]program.Step{it.start(g, chunk, shares)}, it.share(0)...)
	body := append([]program.Step{it.pull(b, g, chunk, shares, 0)}, it.share(1)...)
	body = append(append(body, it.pull(b, g, chunk, shares, 1)), it.share(0)...)
	p.Steps = []program.Step{program.Repeat{Times: int(steps / 2), Body: body}}
	return p, nil
}

// share brings what nodes send and the sums to all devices.
func (it iteration) share(to int) []program.Step {
	return []program.Step{
		program.AllGather{Arrays: []string{name("sent", to)}},
		program.AllReduce{Array: "partials", Into: name("mass", to), Op: program.Sum, Order: program.ByChunk},
	}
}

func name(array string, k int) string { return fmt.Sprintf("%s%d", array, k) }

func (it iteration) start(g *graph, chunk int64, shares []program.Share) program.Dispatch {
	d := program.Dispatch{
		Label: "start", Kernel: "start",
		Bind: []program.Binding{
			{Array: "x0", Access: program.ReadWrite}, {Array: "scale", Access: program.Read},
			{Array: "sent0", Access: program.Write}, {Array: "partials", Access: program.Write},
		},
	}
	push := []uint32{uint32(g.n), uint32(chunk), 0}
	if it.first != nil {
		push[2] = math.Float32bits(it.first(g.n))
	}
	for _, s := range shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Push: push})
	}
	return d
}

// pull is the step from state k to the other one.
func (it iteration) pull(b suites.Build, g *graph, chunk int64, shares []program.Share, k int) program.Dispatch {
	d := program.Dispatch{
		Label: "pull", Kernel: "pull",
		Bind: []program.Binding{
			{Array: name("x", 1-k), Access: program.Write}, {Array: name("x", k), Access: program.Read},
			{Array: "scale", Access: program.Read},
			{Array: name("sent", k), Access: program.Read, Window: program.Whole},
			{Array: name("sent", 1-k), Access: program.Write},
			{Array: "rows", Access: program.Read},
			{Array: "blocks", Access: program.Read},
			{Array: "starts", Access: program.Read, Window: program.Whole},
			{Array: "edges", Access: program.Read, Window: program.Whole},
			{Array: name("mass", k), Access: program.Read, Window: program.Whole},
			{Array: "partials", Access: program.Write},
		},
	}
	for _, s := range shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Push: []uint32{
			uint32(g.n), uint32(chunk), uint32(g.base(s, chunk)), g.lay().list(s.Lo * chunk), math.Float32bits(it.damping(b, g.n)),
			math.Float32bits(it.teleport(b, g.n)), math.Float32bits(it.spread(b, g.n)),
		}})
	}
	return d
}
