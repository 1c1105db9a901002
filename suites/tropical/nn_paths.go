package tropical

import (
	"math"

	"github.com/amgpu/amgpu/suites"
)

// sampledEnds is how many outputs of the network are walked back from.
const sampledEnds = 2

// end is one output of the network as the maximum over all paths that lead to it: the
// heaviest from each input, and from the biases of each layer. Max-plus products are
// multiplied from the other side than by the forward pass, in float64.
type end struct {
	output int64
	inputs []float64
	biases []float64
}

// pathsTo are Philox-chosen outputs.
func (n net) pathsTo(layers []layer, seed uint64) (ends []end) {
	for _, o := range suites.SampleIndices(seed, nnNumber, 1, n.width, sampledEnds) {
		ends = append(ends, pathsOf(layers, o))
	}
	return ends
}

func pathsOf(layers []layer, output int64) end {
	width := len(layers[0].bias)
	e := end{output: output, biases: make([]float64, len(layers))}
	behind := make([]float64, width) // from each output of the layer on
	for o := range behind {
		behind[o] = math.Inf(-1)
	}
	behind[output] = 0
	for l := len(layers) - 1; l >= 0; l-- {
		e.biases[l] = math.Inf(-1)
		for o, b := range layers[l].bias {
			e.biases[l] = max(e.biases[l], float64(b)+behind[o])
		}
		before := make([]float64, width)
		for i := range before {
			before[i] = math.Inf(-1)
			for o, w := range layers[l].weights[i*width : (i+1)*width] {
				before[i] = max(before[i], float64(w)+behind[o])
			}
		}
		behind = before
	}
	e.inputs = behind
	return e
}

// weigh is the output for inputs x. What scaling subtracts after a layer is subtracted from
// all paths that pass it. size bounds the magnitude of what float32 rounds on the way.
func (e end) weigh(x, shifts []float32) (y, size float64) {
	y = math.Inf(-1)
	for i, v := range x {
		y = max(y, float64(v)+e.inputs[i])
	}
	for l := range e.biases {
		// Until here y has come through the layers before l and passes their shifts.
		if l > 0 {
			y -= float64(shifts[l-1])
			size += math.Abs(float64(shifts[l-1]))
		}
		y = max(y, e.biases[l])
	}
	for _, b := range e.biases {
		size += math.Abs(b)
	}
	return y, size + math.Abs(y) + float64(len(e.biases))
}

// compare notes where a device's output is no heaviest path: two roundings a layer apart.
func (e end) compare(t *suites.Tally, row int64, x, shifts []float32, got uint32) {
	y, size := e.weigh(x, shifts)
	t.Identity("output = heaviest path", row, float64(math.Float32frombits(got)), y, suites.E1(2*float64(len(e.biases)), size))
}
