package pinn

import (
	"math"

	"github.com/amgpu/amgpu/suites"
)

// net is the shape of a network and how its parameters lie in one vector: the first
// layer's matrix (a row per input) and bias, of every further hidden layer the matrix (a
// row per neuron before) and bias, the output's weights and bias. Matrices and channels are
// width wide, the hidden width rounded up to a multiple of 4 by neurons that stay zero.
type net struct {
	inputs int64 // coordinates: space, then time
	hidden int64 // neurons of a hidden layer
	width  int64
	layers int64 // hidden layers
}

// channels of a point: value, first and unmixed second derivatives.
func (n net) channels() int64 { return 1 + 2*n.inputs }

// rest is where the hidden layers after the first begin, block their length.
func (n net) rest() int64  { return (n.inputs + 1) * n.width }
func (n net) block() int64 { return n.width * (n.width + 1) }

// layer is where the matrix of hidden layer l, from 1 on, begins.
func (n net) layer(l int64) int64 {
	if l == 1 {
		return 0
	}
	return n.rest() + (l-2)*n.block()
}

// output is where the output's weights begin; its bias lies behind them.
func (n net) output() int64 { return n.layer(n.layers + 1) }

// total is the length of the vector; losses is where the four losses lie behind a
// gradient, and stride the length with them.
func (n net) total() int64  { return n.output() + n.width + 4 }
func (n net) losses() int64 { return n.total() }
func (n net) stride() int64 { return n.total() + 4 }

// weights is the number of weights without padding and biases, parameters that with biases.
func (n net) weights() int64 {
	return n.inputs*n.hidden + (n.layers-1)*n.hidden*n.hidden + n.hidden
}

func (n net) parameters() int64 { return n.weights() + n.layers*n.hidden + 1 }

// real tells whether an element of the vector is a parameter and, if it is a weight, the
// numbers of neurons before and behind it; both are 0 for a bias.
func (n net) real(i int64) (ok bool, before, behind int64) {
	switch {
	case i >= n.output():
		i -= n.output()
		return i < n.hidden || i == n.width, n.hidden * flag(i < n.hidden), flag(i < n.hidden)
	case i < n.rest():
		weight := i < n.inputs*n.width
		return i%n.width < n.hidden, n.inputs * flag(weight), n.hidden * flag(weight)
	}
	i = (i - n.rest()) % n.block()
	row, column := i/n.width, i%n.width
	if row == n.width {
		return column < n.hidden, 0, 0
	}
	return row < n.hidden && column < n.hidden, n.hidden, n.hidden
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// start is an element at the start (Glorot, Bengio 2010): uniform within
// sqrt(6/(before+behind)), biases and padding zero.
func (n net) start(seed uint64, i int64) float32 {
	ok, before, behind := n.real(i)
	if i >= n.total() || !ok || before == 0 {
		return 0
	}
	limit := float32(math.Sqrt(6 / float64(before+behind)))
	return suites.Stream{Seed: seed, Workload: trainNumber, Array: idTheta}.F32(i, -limit, limit)
}

// transposed is the element that lies at i of the vector with hidden matrices transposed.
func (n net) transposed(i int64) int64 {
	if i < n.rest() || i >= n.output() {
		return i
	}
	e := (i - n.rest()) % n.block()
	if e >= n.width*n.width {
		return i
	}
	return i - e + e%n.width*n.width + e/n.width
}
