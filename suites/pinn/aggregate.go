package pinn

import (
	"math"
	"slices"

	"github.com/amgpu/amgpu/suites/program"
)

// Aggregations of the devices' gradients. Weighted by points it is the mean over all points
// and goes along the chunk tree, unless slabs overlap; the others weigh devices. Results
// depend on the count then.
const (
	weighted = iota
	average
	adaptive
)

// trustUnit is the unit of the parameter trust.
const trustUnit = 10

// aggregation brings every device the gradient where it is added device by device.
func (l lesson) aggregation(shares []program.Share) []program.Step {
	// Chunks hold all there is to sum, so a launch over them may not be cut.
	fold := program.Dispatch{Label: "fold", Kernel: "fold", Align: l.chunks,
		Bind: []program.Binding{read("partials"), {Array: "mine", Access: program.Write, Window: program.Whole}}}
	slabs := l.slabs(shares)
	for d, s := range slabs {
		fold.On = append(fold.On, program.Launch{
			First: s.Lo - shares[d].Lo, Units: s.Len(), Div: l.chunks, Across: (l.stride()/4 + 255) / 256,
			Push: []uint32{uint32(l.stride()), math.Float32bits(l.factor(slabs, d))},
		})
	}
	list := []program.Step{fold}
	if l.aggregate == adaptive {
		ranks := uint32(len(shares))
		norm := all("norm", len(shares), []program.Binding{read("mine"), write("norms")}, program.Launch{})
		trust := all("trust", len(shares), []program.Binding{read("norms"), both("mine")}, program.Launch{Mul: (l.stride() + 255) / 256})
		for d := range shares {
			norm.On[d].Push = []uint32{uint32(l.net.total()), uint32(d), ranks}
			trust.On[d].Push = []uint32{uint32(l.stride()), uint32(d), ranks, math.Float32bits(l.limit)}
		}
		list = append(list, norm, program.AllReduce{Array: "norms", Into: "norms", Op: program.Sum}, trust)
	}
	return append(list, program.AllReduce{Array: "mine", Into: "gradient", Op: program.Sum})
}

// factor turns the sum over a device's chunks into its mean over points, and with average
// into its part of the mean over devices that have any. Weighted by points, it is its part
// of the mean over the points of all devices, of which some may belong to two.
func (l lesson) factor(slabs []program.Share, d int) float32 {
	busy, points := int64(0), int64(0)
	for _, s := range slabs {
		points += s.Len()
		if s.Len() > 0 {
			busy++
		}
	}
	if l.aggregate == weighted {
		return float32(float64(l.chunks) / float64(points))
	}
	f := float64(l.chunks) / float64(max(slabs[d].Len(), 1))
	if l.aggregate == average {
		f /= float64(busy)
	}
	return float32(f)
}

// combine aggregates the gradients of chunks on the host as the devices do.
func (l lesson) combine(parts [][]float64, shares []program.Share) []float64 {
	g := make([]float64, l.stride())
	add := func(into []float64, p []float64, f float64) {
		for i, v := range p {
			into[i] += f * v
		}
	}
	if !l.byDevice() {
		for _, p := range parts {
			add(g, p, 1)
		}
		return g
	}
	var means [][]float64
	var norms []float64
	slabs := l.slabs(shares)
	for d, s := range slabs {
		mean := make([]float64, l.stride())
		for u := s.Lo; u < s.Hi; u++ {
			add(mean, parts[u], float64(l.factor(slabs, d)))
		}
		if s.Len() == 0 {
			continue
		}
		norm := 0.0
		for _, v := range mean[:l.net.total()] {
			norm += v * v
		}
		means, norms = append(means, mean), append(norms, norm)
	}
	weights := make([]float64, len(means))
	for d := range weights {
		weights[d] = 1
	}
	if l.aggregate == adaptive {
		weights = trusted(norms, float64(l.limit))
	}
	for d, mean := range means {
		add(g, mean, weights[d])
	}
	return g
}

// trusted are the weights of devices with these squared norms: those above limit times the
// median are left out, the others weigh alike.
func trusted(norms []float64, limit float64) []float64 {
	sorted := slices.Sorted(slices.Values(norms))
	median := sorted[(len(sorted)-1)/2]
	weights, kept := make([]float64, len(norms)), 0.0
	for d, n := range norms {
		if n <= limit*median {
			weights[d] = 1
			kept++
		}
	}
	for d := range weights {
		weights[d] /= kept
	}
	return weights
}
