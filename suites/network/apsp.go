package network

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(apsp{}) }

type apsp struct{}

const (
	apspNumber = 17
	// A unit is blockRows rows, rows have a multiple of blockTile elements.
	blockRows = 64
	blockTile = 128
	// outDegree is the mean number of edges from a node, maxWeight the largest weight.
	outDegree = 16
	maxWeight = 1000
	maxPaths  = 1 << 17
)

func (apsp) Info() suites.Info {
	return suites.Info{
		ID: "network/apsp", Number: apspNumber,
		Doc:           "Shortest paths between all pairs of nodes: blocked Floyd-Warshall, or squaring",
		Source:        "Amari; Floyd 1962, Warshall 1962, Venkataraman et al. 2003 (blocks)",
		Formula:       "D_ij = min over k of (D_ik + D_kj) until nothing changes; weights are integers, from 1 on, on about 16 edges a node, or those of --input",
		Sizes:         suites.Sizes{S: 128, M: 4096, L: 16384},
		SizeUnit:      "nodes of a random graph; or the file of --input",
		WorkUnit:      "flop",
		Flops:         "2 n^3 (Floyd-Warshall), 2 n^3 per squaring, 2 n^3 to count",
		Arithmetic:    "max-plus",
		Bytes:         "8 n^2 per block of 64 nodes or squaring",
		Splits:        []string{"rows"},
		Communication: "Floyd-Warshall: broadcast of 64 rows, 256 n B, n/64 times; squaring: all-gather of 4 n^2 B each; count: one more",
		Tolerance:     "E0: all sums are integers below 2^24; D0",
		Weak:          "work proportional to the number of devices: nodes to its cube root",
		Params: []suites.Param{
			{Name: "squaring", Doc: "0: blocked Floyd-Warshall; 1: ceil(log2(n-1)) squarings of the matrix", Default: 0, Min: 0, Max: 1},
			{Name: "hops", Doc: "1: every edge counts 1, whatever its weight", Default: 0, Min: 0, Max: 1},
			{Name: "count", Doc: "1: also the share of pairs of other nodes with a shortest path through each node", Default: 0, Min: 0, Max: 1},
		},
		ReadsInput: true,
	}
}

// WeakSize keeps the work of a device: n count^(1/3).
func (apsp) WeakSize(n int64, count int) int64 {
	return int64(math.Round(float64(n) * math.Cbrt(float64(count))))
}

// pathGraph is what a matrix of distances can be made of; edges are counted in 32 bits.
var pathGraph = need{weighted: true, least: 2, nodes: maxPaths, edges: math.MaxUint32}

// InputSize is the number of nodes in a file.
func (apsp) InputSize(path string) (int64, error) { return nodesIn(path, pathGraph) }

func (apsp) Build(b suites.Build) (*program.Program, error) {
	m, err := pathsOf(b)
	if err != nil {
		return nil, err
	}
	n := float64(m.n)
	square := m.pitch * blockRows
	p := &program.Program{
		Units: m.units, Shares: b.Divide(m.units, 1),
		Kernels: []program.Kernel{
			{Name: "weights", Shader: "network/weights"}, {Name: "pivot", Shader: "network/pivot"},
			{Name: "panel", Shader: "network/panel"}, {Name: "column", Shader: "network/column"},
			{Name: "relax", Shader: "network/relax"},
			{Name: "square", Shader: "network/relax", Spec: []program.Spec{{ID: 1, Value: 0}}},
		},
	}
	array := func(name string, layout program.Layout, units, stride int64) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: layout, Units: units, Stride: stride}
	}
	if b.Params["squaring"] == 0 {
		d := array("D", program.Split, m.units, square)
		d.Output = true
		p.Arrays = []program.Array{
			d, array("column", program.Split, m.units, blockRows*blockRows),
			array("pivot", program.Local, 1, blockRows*blockRows), array("panel0", program.Local, 1, square), array("panel1", program.Local, 1, square),
		}
		p.Arrays[2].Distinct = true
		p.Steps = m.floydWarshall(p.Shares, b.Seed)
		p.Flops = 2 * n * n * n
		p.Bytes = 8 * n * n * float64(m.units)
	} else {
		if bytes := m.pitch * m.pitch * 4; b.Limits.BindingBytes > 0 && bytes > b.Limits.BindingBytes {
			return nil, fmt.Errorf("network/apsp: a matrix of %d bytes does not fit a binding of %d: choose fewer nodes or --param squaring=0", bytes, b.Limits.BindingBytes)
		}
		d := array("D", program.Split, m.units, square)
		d.Output = true
		p.Arrays = []program.Array{d, array("whole", program.Replicated, m.units, square)}
		times := max(bits.Len64(uint64(m.n-2)), 1) // ceil(log2(n-1))
		p.Steps = []program.Step{
			m.first(p.Shares, b.Seed),
			program.Repeat{Times: times, Body: []program.Step{
				program.AllGather{Arrays: []string{"whole"}, From: []string{"D"}},
				m.relax("square", "whole", "whole", m.pitch, m.pitch, p.Shares),
			}},
		}
		p.Flops = 2 * n * n * n * float64(times)
		p.Bytes = 8 * n * n * float64(times)
	}
	if m.given != nil {
		p.Kernels[0] = program.Kernel{Name: "weights", Shader: "network/ways"}
		p.Arrays = append(p.Arrays, m.given.arrays(m.units, p.Shares)...)
	}
	if b.Params["count"] == 1 {
		if err := m.countPaths(b, p); err != nil {
			return nil, err
		}
	}
	p.Work = p.Flops
	return p, nil
}

// first makes the weights.
func (m paths) first(shares []program.Share, seed uint64) program.Dispatch {
	d := program.Dispatch{Label: "weights", Kernel: "weights", Bind: []program.Binding{{Array: "D", Access: program.Write}}}
	if m.given != nil {
		d.Bind = append(d.Bind, program.Binding{Array: "starts", Access: program.Read}, program.Binding{Array: "edges", Access: program.Read, Window: program.Whole})
	}
	for _, s := range shares {
		push := []uint32{uint32(m.n), uint32(m.pitch), m.chance, m.weights, uint32(seed), uint32(seed >> 32)}
		if m.given != nil {
			push = append(push[:2], m.given.base(s.Lo))
		}
		d.On = append(d.On, program.Launch{Units: s.Len(), Mul: m.pitch * blockRows / 4, Div: 256, Push: push})
	}
	return d
}

// relax multiplies the rows of a with b, depth deep.
func (m paths) relax(kernel, a, b string, lead, depth int64, shares []program.Share) program.Dispatch {
	return m.relaxPart(kernel, a, b, lead, depth, shares, func(_ int, units int64) program.Share { return program.Share{Hi: units} })
}

// relaxPart is the same for some units of each share, from an even one on.
func (m paths) relaxPart(kernel, a, b string, lead, depth int64, shares []program.Share, part func(device int, units int64) program.Share) program.Dispatch {
	access := program.ReadWrite
	if kernel == "square" {
		access = program.Write
	}
	d := program.Dispatch{
		Label: kernel, Kernel: kernel, Align: 2,
		Bind: []program.Binding{
			{Array: "D", Access: access}, {Array: a, Access: program.Read},
			{Array: b, Access: program.Read, Window: program.Whole},
		},
	}
	for i, s := range shares {
		p := part(i, s.Len())
		d.On = append(d.On, program.Launch{First: p.Lo, Units: max(p.Len(), 0), Div: 2, Across: m.pitch / blockTile,
			Push: []uint32{uint32(m.pitch), uint32(lead), uint32(depth)}})
	}
	return d
}
