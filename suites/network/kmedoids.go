package network

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(kmedoids{}) }

type kmedoids struct{}

const (
	kmedoidsNumber = 20
	// maxClustered bounds the matrix, 4 n^2 bytes.
	maxClustered = 1 << 18
)

func (kmedoids) Info() suites.Info {
	return suites.Info{
		ID: "network/kmedoids", Number: kmedoidsNumber,
		Doc:           "Clusters around k of the nodes, from the distances between all (alternating k-medoids)",
		Source:        "Amari; Park and Jun 2009",
		Formula:       "a_i = argmin over c of D_i,m(c); m(c) = argmin over i with a_i = c of sum over j with a_j = c of D_ij; lowest number where equal",
		Sizes:         suites.Sizes{S: 500, M: 16384, L: 65536},
		SizeUnit:      "nodes",
		WorkUnit:      "pair",
		Flops:         "1 per pair and step",
		Bytes:         "4 per pair and step",
		Splits:        []string{"rows"},
		Communication: "every step: all-gather of 4 n B twice, of the nearest medoids and of costs",
		Tolerance:     "E0 given the distances, which are E2: 10 u relative; D0",
		Weak:          "pairs proportional to the number of devices: nodes to its square root",
		Params: []suites.Param{
			{Name: "k", Doc: "clusters, at most one a node", Default: 16, Min: 1, Max: 1024},
			{Name: "steps", Doc: "steps of one iteration", Default: 10, Min: 1, Max: 1000},
		},
	}
}

// WeakSize keeps the pairs of a device: n sqrt(count).
func (kmedoids) WeakSize(n int64, count int) int64 {
	return int64(math.Round(float64(n) * math.Sqrt(float64(count))))
}

// clustering is the shape of the problem.
type clustering struct{ n, pitch, k, steps int64 }

func clusteringOf(b suites.Build) (clustering, error) {
	c := clustering{n: b.Size, pitch: (b.Size + 3) / 4 * 4, steps: b.Params["steps"]}
	if c.n < 2 || c.n > maxClustered {
		return c, fmt.Errorf("network/kmedoids: %d nodes: choose 2 to %d", c.n, int64(maxClustered))
	}
	c.k = min(b.Params["k"], c.n)
	return c, nil
}

func (kmedoids) Build(b suites.Build) (*program.Program, error) {
	c, err := clusteringOf(b)
	if err != nil {
		return nil, err
	}
	array := func(name string, elem program.Elem, layout program.Layout, stride int64, output bool) program.Array {
		return program.Array{Name: name, Elem: elem, Layout: layout, Units: c.n, Stride: stride, Output: output}
	}
	position := array("position", program.F32, program.Replicated, 4, false)
	position.Source = places
	medoids := program.Array{Name: "medoids", Elem: program.U32, Layout: program.Local, Units: c.k, Stride: 1, Output: true}
	before := medoids
	before.Name, before.Output = "before", false
	p := &program.Program{
		Units: c.n, Shares: b.Divide(c.n, distanceRows),
		Arrays: []program.Array{
			array("D", program.F32, program.Split, c.pitch, false), array("closeness", program.F32, program.Split, 1, false), position,
			array("nearest", program.U32, program.Replicated, 1, true), array("cost", program.F32, program.Replicated, 1, true), medoids, before,
		},
		Kernels: []program.Kernel{
			{Name: "distances", Shader: "network/distance"},
			{Name: "start", Shader: "network/medoid", Spec: []program.Spec{{ID: 1, Value: 1}}},
			{Name: "assign", Shader: "network/assign"},
			{Name: "cost", Shader: "network/within"},
			{Name: "select", Shader: "network/medoid"},
		},
		Work: float64(c.n) * float64(c.n) * float64(c.steps),
	}
	p.Flops, p.Bytes = p.Work, 4*p.Work
	byRow := func(array string, access program.Access) program.Binding {
		return program.Binding{Array: array, Access: access}
	}
	distances := c.dispatch("distances", p.Shares, distanceRows, []uint32{uint32(c.n), uint32(c.pitch)},
		byRow("D", program.Write), byRow("closeness", program.Write), bound("position", program.Read))
	distances.Align = distanceRows
	p.Setup = []program.Step{program.AllGather{Arrays: []string{"position"}}, distances}
	p.Steps = []program.Step{
		c.medoids("start", p.Shares),
		program.Repeat{Times: int(c.steps), Body: []program.Step{
			c.dispatch("assign", p.Shares, 256, []uint32{uint32(c.pitch), uint32(c.k)},
				byRow("nearest", program.Write), byRow("D", program.Read), bound("medoids", program.Read)),
			program.AllGather{Arrays: []string{"nearest"}},
			c.dispatch("cost", p.Shares, 1, []uint32{uint32(c.n), uint32(c.pitch)},
				byRow("cost", program.Write), byRow("D", program.Read), bound("nearest", program.Read)),
			program.AllGather{Arrays: []string{"cost"}},
			c.medoids("select", p.Shares),
		}},
	}
	return p, nil
}

// bound is all that a device holds of an array.
func bound(name string, access program.Access) program.Binding {
	return program.Binding{Array: name, Access: access, Window: program.Whole}
}

// dispatch runs a kernel over the rows of every device, each of them in rows/div work-groups.
func (clustering) dispatch(kernel string, shares []program.Share, div int64, push []uint32, bind ...program.Binding) program.Dispatch {
	d := program.Dispatch{Label: kernel, Kernel: kernel, Bind: bind}
	for _, s := range shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: div, Push: push})
	}
	return d
}

// medoids chooses them alike on every device, a work-group to each.
func (c clustering) medoids(kernel string, shares []program.Share) program.Dispatch {
	d := program.Dispatch{Label: kernel, Kernel: kernel, Bind: []program.Binding{
		bound("medoids", program.ReadWrite), bound("before", program.Write), bound("nearest", program.Read), bound("cost", program.Read)}}
	for range shares {
		d.On = append(d.On, program.Launch{Units: 1, Across: c.k, Push: []uint32{uint32(c.n), uint32(c.k)}})
	}
	return d
}
