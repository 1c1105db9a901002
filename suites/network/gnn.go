package network

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(gnn{}) }

type gnn struct{}

const (
	gnnNumber = 19
	// gnnChunk is the rows of a unit, the height of the dense tile.
	gnnChunk = 128
	// rowsEach is how many rows a work-group aggregates.
	rowsEach    = 8
	gnnTile     = 128
	maxFeatures = 1024
)

var (
	features = program.Random(idFeature, -1, 1)
	layer    = program.Random(idLayer, -0.125, 0.125)
)

func (gnn) Info() suites.Info {
	return suites.Info{
		ID: "network/gnn", Number: gnnNumber,
		Doc:           "A layer of a graph neural network: aggregation along edges, a dense product, relu",
		Source:        "Amari; Kipf and Welling 2017",
		Formula:       "H' = relu(Ahat H W), Ahat = D^-1/2 (A+I) D^-1/2, D = 1 + in-degree; H n x F, W F x F",
		Sizes:         suites.Sizes{S: 1 << 10, M: 1 << 18, L: 1 << 21},
		SizeUnit:      "nodes of a random graph, power laws in both directions; or the file of --input",
		WorkUnit:      "flop",
		Flops:         "2 nnz F + 2 n F^2, nnz = edges + n",
		Bytes:         "4 nnz + 8 n F",
		Splits:        []string{"rows"},
		Communication: "all-gather of H, 4 n F B",
		Tolerance:     "E1 (n = groups of 4 edges + F); D0",
		Weak:          "nodes proportional to the number of devices",
		Params: []suites.Param{
			{Name: "features", Doc: "features F of a node, a multiple of 4", Default: 128, Min: 4, Max: maxFeatures, Multiple: 4},
			{Name: "degree", Doc: "mean in-degree of the random graph", Default: 16, Min: 1, Max: 256},
		},
		ReadsInput: true,
	}
}

// InputSize is the number of nodes in a file.
func (gnn) InputSize(path string) (int64, error) { return inputNodes(path) }

func (gnn) Build(b suites.Build) (*program.Program, error) {
	f := b.Params["features"]
	if f%4 != 0 {
		return nil, fmt.Errorf("network/gnn: %d features: choose a multiple of 4", f)
	}
	if b.Weak && b.Input != "" {
		return nil, fmt.Errorf("network/gnn: a graph from a file has one size: use strong mode, or weak mode without an input")
	}
	g, err := graphOf(gnnNumber, b, false)
	if err != nil {
		return nil, fmt.Errorf("network/gnn: %w", err)
	}
	chunks, shares := g.divide(b, gnnChunk)
	limit := b.Limits.BindingBytes
	if bytes := chunks*gnnChunk*f*4 + 256; limit > 0 && bytes > limit {
		return nil, fmt.Errorf("network/gnn: %d bytes of features do not fit a binding of %d: choose fewer nodes or features", bytes, limit)
	}
	for d, s := range shares {
		if bytes := g.groups(s, gnnChunk) * groupEdges * 4; limit > 0 && bytes > limit {
			return nil, fmt.Errorf("network/gnn: %d bytes of edges on device %d do not fit a binding of %d: choose a smaller graph or more devices", bytes, d, limit)
		}
	}
	scale := func(_ int, at int64, into []uint32) {
		for k := range into {
			into[k] = 0
			if i := at + int64(k); i < g.n {
				into[k] = math.Float32bits(rowScale(g, i))
			}
		}
	}
	nnz := float64(g.edges + g.n)
	p := &program.Program{
		Units: chunks, Shares: shares,
		Arrays: append([]program.Array{
			{Name: "out", Elem: program.F32, Layout: program.Split, Units: chunks, Stride: gnnChunk * f, Output: true},
			{Name: "H", Elem: program.F32, Layout: program.Replicated, Units: chunks, Stride: gnnChunk * f, Source: features},
			{Name: "scale", Elem: program.F32, Layout: program.Replicated, Units: chunks, Stride: gnnChunk, Source: program.Source{Kind: program.Made, Make: scale}},
			{Name: "Z", Elem: program.F32, Layout: program.Split, Units: chunks, Stride: gnnChunk * f},
			{Name: "W", Elem: program.F32, Layout: program.Replicated, Units: 1, Stride: f * f, Source: layer},
		}, g.arrays(gnnChunk, shares, chunks)...),
		Kernels: []program.Kernel{{Name: "aggregate", Shader: "network/aggregate"}, {Name: "transform", Shader: "network/transform"}},
		Setup:   []program.Step{program.Broadcast{Arrays: []string{"W"}}},
		Flops:   2*nnz*float64(f) + 2*float64(g.n)*float64(f*f),
		Bytes:   4*nnz + 8*float64(g.n)*float64(f),
	}
	p.Work = p.Flops
	p.Steps = []program.Step{program.AllGather{Arrays: []string{"H"}}, aggregate(g, f, shares), transform(f, shares)}
	return p, nil
}

func aggregate(g *graph, f int64, shares []program.Share) program.Dispatch {
	d := program.Dispatch{
		Label: "aggregate", Kernel: "aggregate",
		Bind: []program.Binding{
			{Array: "Z", Access: program.Write},
			{Array: "H", Access: program.Read, Window: program.Whole}, {Array: "scale", Access: program.Read, Window: program.Whole},
			{Array: "ptr", Access: program.Read}, {Array: "edges", Access: program.Read, Window: program.Whole},
		},
	}
	for _, s := range shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Mul: gnnChunk / rowsEach,
			Push: []uint32{uint32(g.n), uint32(f), uint32(g.base(s, gnnChunk))}})
	}
	return d
}

func transform(f int64, shares []program.Share) program.Dispatch {
	across := (f + gnnTile - 1) / gnnTile
	d := program.Dispatch{
		Label: "transform", Kernel: "transform",
		Bind: []program.Binding{
			{Array: "out", Access: program.Write}, {Array: "Z", Access: program.Read},
			{Array: "W", Access: program.Read, Window: program.Whole},
		},
	}
	for _, s := range shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Across: across, Push: []uint32{uint32(f), uint32(f), uint32(across)}})
	}
	return d
}

// Verify compares all outputs of units of 128 rows with 64 bits.
func (gnn) Verify(c *suites.Check) (suites.Outcome, error) {
	g, err := graphOf(gnnNumber, c.Build, false)
	if err != nil {
		return suites.Outcome{}, err
	}
	f := c.Build.Params["features"]
	stream := func(id uint32) suites.Stream {
		return suites.Stream{Seed: c.Build.Seed, Workload: gnnNumber, Array: id}
	}
	h, weights := stream(idFeature), make([]float64, f*f)
	for k := range weights {
		weights[k] = float64(stream(idLayer).F32(int64(k), layer.A, layer.B))
	}
	tally, err := c.EachUnit("out", c.Program.Units, func(u int64, got []uint32, t *suites.Tally) {
		var row []uint32
		z, size := make([]float64, f), make([]float64, f)
		for k := range int64(gnnChunk) {
			i := u*gnnChunk + k
			if i >= g.n {
				break
			}
			var count int64
			row, count = g.sources(i, row)
			clear(z)
			clear(size)
			for _, j := range append([]uint32{uint32(i)}, row[:count]...) {
				s := float64(rowScale(g, i)) * float64(rowScale(g, int64(j)))
				for m := range f {
					x := s * float64(h.F32(int64(j)*f+m, features.A, features.B))
					z[m] += x
					size[m] += math.Abs(x)
				}
			}
			chain := float64(len(row)/groupEdges) + 4 + float64(f)
			for o := range f {
				sum, magnitude := 0.0, 0.0
				for m := range f {
					sum += z[m] * weights[m*f+o]
					magnitude += size[m] * math.Abs(weights[m*f+o])
				}
				t.Near("out", i*f+o, got[k*f+o], max(sum, 0), suites.E1(chain, magnitude))
			}
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E1", ""), nil
}
