package network

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// viaBlock is the nodes that a work-group of network/between counts for.
const viaBlock = 16

// countPaths appends to a program what counts, for each node v, the ordered pairs (s, t) of
// other nodes with D_sv + D_vt = D_st. Over (n-1)(n-2) that is the share of pairs with a
// shortest path through v. It is no betweenness (Brandes 2001), which also divides by the
// number of shortest paths of a pair.
func (m paths) countPaths(b suites.Build, p *program.Program) error {
	if bytes := m.pitch * m.pitch * 4; b.Limits.BindingBytes > 0 && bytes > b.Limits.BindingBytes {
		return fmt.Errorf("network/apsp: a matrix of %d bytes does not fit a binding of %d: choose fewer nodes or --param count=0", bytes, b.Limits.BindingBytes)
	}
	if _, ok := p.Array("whole"); !ok {
		p.Arrays = append(p.Arrays, program.Array{Name: "whole", Elem: program.F32, Layout: program.Replicated, Units: m.units, Stride: m.pitch * blockRows})
	}
	p.Arrays = append(p.Arrays,
		program.Array{Name: "found", Elem: program.U32, Layout: program.Split, Units: m.units, Stride: m.pitch},
		program.Array{Name: "through", Elem: program.U32, Layout: program.Local, Units: 1, Stride: m.pitch, Output: true})
	p.Kernels = append(p.Kernels, program.Kernel{Name: "between", Shader: "network/between"})
	d := program.Dispatch{
		Label: "between", Kernel: "between",
		Bind: []program.Binding{
			{Array: "found", Access: program.Write}, {Array: "D", Access: program.Read},
			{Array: "whole", Access: program.Read, Window: program.Whole},
		},
	}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Across: m.pitch / viaBlock, Push: []uint32{uint32(m.n), uint32(m.pitch)}})
	}
	p.Steps = append(p.Steps, program.AllGather{Arrays: []string{"whole"}, From: []string{"D"}}, d,
		program.AllReduce{Array: "found", Into: "through", Op: program.Sum, Order: program.ByChunk})
	n := float64(m.n)
	p.Flops += 2 * n * n * n
	p.Bytes += 4 * n * n
	return nil
}

// sampledVia is how many nodes a sampled check counts anew, from the whole matrix.
const sampledVia = 16

// checkCounts counts the pairs of sampled nodes, all of them when the check is full, from the
// distances that the devices hold: the definition, term by term.
func (m paths) checkCounts(c *suites.Check, all *suites.Tally) error {
	k := sampledVia
	if c.Full {
		k = int(m.n)
	}
	via := suites.SampleIndices(c.Build.Seed, apspNumber, 1, m.n, k)
	from := make([][]float32, len(via)) // distances from each of them
	row := func(i int64) ([]float32, error) {
		words, err := c.Out.Words("D", i*m.pitch, m.n)
		return asFloats(words), err
	}
	for k, v := range via {
		var err error
		if from[k], err = row(v); err != nil {
			return err
		}
	}
	want := make([]uint32, len(via))
	for s := range m.n {
		direct, err := row(s)
		if err != nil {
			return err
		}
		suites.Spread(int64(len(via)), func(lo, hi int64, _ *suites.Tally) {
			for k := lo; k < hi; k++ {
				want[k] += through(s, via[k], direct, from[k])
			}
		})
	}
	for d := range c.Program.Shares {
		got, err := c.Out.LocalWords("through", d, 0, m.n)
		if err != nil {
			return err
		}
		for k, v := range via {
			all.Bits(fmt.Sprintf("device %d: pairs with a path through node", d), v, got[v], want[k])
		}
	}
	return nil
}
