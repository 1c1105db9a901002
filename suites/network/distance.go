package network

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(distance{}) }

type distance struct{}

const (
	distanceNumber = 16
	// distanceRows is the number of rows of a work-group.
	distanceRows = 8
	maxPlaces    = 1 << 20
)

var places = program.Random(idPosition, -1, 1)

func (distance) Info() suites.Info {
	return suites.Info{
		ID: "network/distance", Number: distanceNumber,
		Doc:           "Distances between all nodes in space, and the closeness of each",
		Source:        "Amari",
		Formula:       "D_ij = |p_i - p_j|, closeness_i = (n-1) / sum_j D_ij",
		Sizes:         suites.Sizes{S: 512, M: 16384, L: 65536},
		SizeUnit:      "nodes",
		WorkUnit:      "pair",
		Flops:         "8 per pair and a square root",
		Bytes:         "4 per pair",
		Splits:        []string{"rows"},
		Communication: "all-gather of positions, 16 n B, once before the first iteration",
		Tolerance:     "E2: distances 10 u relative, closeness 10 u and E1 (n / 1024 + 40 additions); D0",
		Weak:          "rows proportional to the number of devices, columns fixed",
	}
}

// span is the rows and the columns of the distance matrix.
func span(b suites.Build) (rows, n int64) {
	if b.Weak {
		return b.Size, b.Base
	}
	return b.Size, b.Size
}

func (distance) Build(b suites.Build) (*program.Program, error) {
	rows, n := span(b)
	if n < 2 || n > maxPlaces {
		return nil, fmt.Errorf("network/distance: %d nodes: choose 2 to %d", n, int64(maxPlaces))
	}
	pitch := (n + 3) / 4 * 4
	p := &program.Program{
		Units: rows, Shares: b.Divide(rows, distanceRows),
		Arrays: []program.Array{
			{Name: "D", Elem: program.F32, Layout: program.Split, Units: rows, Stride: pitch, Output: true},
			{Name: "closeness", Elem: program.F32, Layout: program.Split, Units: rows, Stride: 1, Output: true},
			{Name: "position", Elem: program.F32, Layout: program.Replicated, Units: rows, Stride: 4, Source: places},
		},
		Kernels: []program.Kernel{{Name: "main", Shader: "network/distance"}},
		Setup:   []program.Step{program.AllGather{Arrays: []string{"position"}}},
		Work:    float64(rows) * float64(n),
	}
	p.Flops, p.Bytes = 8*p.Work, 4*p.Work
	d := program.Dispatch{
		Label: "distances", Kernel: "main", Align: distanceRows,
		Bind: []program.Binding{
			{Array: "D", Access: program.Write}, {Array: "closeness", Access: program.Write},
			{Array: "position", Access: program.Read, Window: program.Whole},
		},
	}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: distanceRows, Push: []uint32{uint32(n), uint32(pitch)}})
	}
	p.Steps = []program.Step{d}
	return p, nil
}

// Verify compares whole rows with 64 bits, and their diagonal with 0.
func (distance) Verify(c *suites.Check) (suites.Outcome, error) {
	rows, n := span(c.Build)
	pitch := (n + 3) / 4 * 4
	stream := suites.Stream{Seed: c.Build.Seed, Workload: distanceNumber, Array: idPosition}
	at := func(i int64) (p [3]float64) {
		for k := range p {
			p[k] = float64(stream.F32(4*i+int64(k), places.A, places.B))
		}
		return p
	}
	near, err := c.Out.Words("closeness", 0, rows)
	if err != nil {
		return suites.Outcome{}, err
	}
	tally, err := c.EachUnit("D", rows, func(i int64, got []uint32, t *suites.Tally) {
		own, sum := at(i), 0.0
		for j := range n {
			q := at(j)
			d := math.Sqrt((own[0]-q[0])*(own[0]-q[0]) + (own[1]-q[1])*(own[1]-q[1]) + (own[2]-q[2])*(own[2]-q[2]))
			// Coordinates are exact; differences are rounded once each.
			t.Near("D", i*pitch+j, got[j], d, 10*suites.U*d)
			sum += d
		}
		want := float64(n-1) / sum
		t.Near("closeness", i, near[i], want, suites.E2(float64(n)/1024+40, want, 10, want))
		if i < n {
			t.Identity("D_ii = 0", i, float64(math.Float32frombits(got[i])), 0, 0)
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E2", "D_ii = 0"), nil
}
