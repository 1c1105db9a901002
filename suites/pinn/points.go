package pinn

import (
	"cmp"
	"math"
	"slices"

	"github.com/amgpu/amgpu/suites"
)

// Classes of points, as the kernels know them.
const (
	inDomain = iota
	onBoundary
	atStart
	noPoint
)

const (
	sidePoints  = 50  // boundary points of a side
	startPoints = 200 // points at t = 0
	mostChunks  = 512
)

// cloud is the points of a training, in canonical chunks. It depends on the problem alone.
type cloud struct {
	inputs     int64
	collocated int64
	total      int64 // points
	chunk      int64 // points of a chunk
	chunks     int64
	at         [][4]float32 // coordinates, class, chunk by chunk
}

func (c cloud) boundary() int64 { return 2 * (c.inputs - 1) * sidePoints }

// An order is how the points of a cloud follow each other.
type order int

const (
	byClass order = iota
	byPlace       // from left to right, so that shares are slabs
	mixed         // so that every share has its part of every class
)

// orderOf is the order for a split and an aggregation: where devices are weighed, one with
// all points of a class would be an outlier.
func orderOf(split string, aggregation int64) order {
	switch {
	case split == spatial:
		return byPlace
	case aggregation != weighted:
		return mixed
	}
	return byClass
}

func cloudOf(seed uint64, inputs, collocated int64, o order) cloud {
	c := cloud{inputs: inputs, collocated: collocated}
	c.total = collocated + c.boundary() + startPoints
	c.chunk = (c.total + mostChunks - 1) / mostChunks
	c.chunks = (c.total + c.chunk - 1) / c.chunk
	c.at = make([][4]float32, c.chunks*c.chunk)
	suites.Spread(c.chunks*c.chunk, func(lo, hi int64, _ *suites.Tally) {
		for i := lo; i < hi; i++ {
			c.at[i] = c.point(seed, i)
		}
	})
	switch o {
	case byPlace:
		slices.SortStableFunc(c.at[:c.total], func(a, b [4]float32) int { return cmp.Compare(a[0], b[0]) })
	case mixed:
		c.mix()
	}
	return c
}

// mix spreads the points of each class evenly over all.
func (c cloud) mix() {
	type ranked struct {
		rank float64
		at   [4]float32
	}
	list := make([]ranked, 0, c.total)
	for i, first := int64(0), int64(0); i < c.total; i++ {
		of := c.classSize(c.at[i][3])
		if i > 0 && c.at[i][3] != c.at[i-1][3] {
			first = i
		}
		list = append(list, ranked{(float64(i-first) + 0.5) / float64(of), c.at[i]})
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	for i, p := range list {
		c.at[i] = p.at
	}
}

// classSize is the number of points of a class.
func (c cloud) classSize(class float32) int64 {
	switch class {
	case inDomain:
		return c.collocated
	case onBoundary:
		return c.boundary()
	}
	return startPoints
}

// point is point i: uniform in the unit cube of space and time, moved to a side or to t = 0
// where its class asks for it.
func (c cloud) point(seed uint64, i int64) (p [4]float32) {
	if i >= c.total {
		p[3] = noPoint
		return p
	}
	s := suites.Stream{Seed: seed, Workload: trainNumber, Array: idPoints}
	for k := range c.inputs {
		p[k] = s.F32(4*i+k, 0, 1)
	}
	switch b := i - c.collocated; {
	case b < 0:
		p[3] = inDomain
	case b < c.boundary():
		side := b % (2 * (c.inputs - 1))
		p[side/2], p[3] = float32(side%2), onBoundary
	default:
		p[c.inputs-1], p[3] = 0, atStart
	}
	return p
}

// shares of a point in the mean of its class.
func (c cloud) shares() (pde, bc, ic float64) {
	return 1 / float64(c.collocated), 1 / float64(c.boundary()), 1.0 / startPoints
}

// exact is the manufactured solution: sin(pi x) cos(pi t), or sin(pi x) sin(pi y)
// cos(sqrt2 pi t).
func exact(p []float64) float64 {
	u := 1.0
	for _, x := range p[:len(p)-1] {
		u *= math.Sin(math.Pi * x)
	}
	return u * math.Cos(math.Sqrt(float64(len(p)-1))*math.Pi*p[len(p)-1])
}
