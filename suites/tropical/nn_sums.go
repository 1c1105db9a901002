package tropical

import (
	"math"

	"github.com/amgpu/amgpu/suites"
)

// sampledSlopes is how many columns of a layer's weights a check that is not full looks at.
const sampledSlopes = 16

// sumsCheck checks the slopes by the weights of layer l and the descent, in all columns
// when the check is full, else in Philox-chosen ones.
func sumsCheck(c *suites.Check, n net, l int, t *suites.Tally) error {
	columns := sampledSlopes
	if c.Full {
		columns = int(n.width)
	}
	js := suites.SampleIndices(c.Build.Seed, nnNumber, uint32(l), n.width, columns)
	sum, size, err := columnSums(c, n, l, js)
	if err != nil {
		return err
	}
	// The longest chain: a device's rows, then the devices.
	chain := float64(n.batch + int64(len(c.Program.Shares)))
	total := make([]float64, len(js))
	magnitude := make([]float64, len(js))
	rows := n.width + 1
	block := max(1, (1<<22)/n.width)
	for first := int64(0); first < rows; first += block {
		count := min(block, rows-first)
		// Any device's copy will do; the engine compares copies.
		words, err := c.Out.LocalWords(sums(l), l%len(c.Program.Shares), first*n.width, count*n.width)
		if err != nil {
			return err
		}
		for i := first; i < first+count; i++ {
			for k, j := range js {
				got := words[(i-first)*n.width+j]
				at := i*int64(len(js)) + int64(k)
				t.Near(sums(l), i*n.width+j, got, sum[at], suites.E1(chain, size[at]))
				total[k] += float64(math.Float32frombits(got)) - sum[at]
				magnitude[k] += size[at]
			}
		}
		if err := descentCheck(c, n, l, first, words, js, t); err != nil {
			return err
		}
	}
	for k, j := range js {
		t.Identity("slopes of a column add up to those of the rows", j, total[k], 0, suites.E1(chain, magnitude[k]))
	}
	return nil
}

// columnSums is the slopes by the weights in some columns, from the device's winners and
// slopes of rows, row by row of the weights, and the same over magnitudes.
func columnSums(c *suites.Check, n net, l int, js []int64) (sum, size []float64, err error) {
	sum = make([]float64, (n.width+1)*int64(len(js)))
	size = make([]float64, len(sum))
	block := max(1, (1<<22)/n.width)
	for first := int64(0); first < n.batch; first += block {
		count := min(block, n.batch-first)
		win, err := c.Out.Words(winners(l), first*n.width, count*n.width)
		if err != nil {
			return nil, nil, err
		}
		d, err := c.Out.Words(delta(l), first*n.width, count*n.width)
		if err != nil {
			return nil, nil, err
		}
		for b := range count {
			for k, j := range js {
				at := int64(min(win[b*n.width+j], uint32(n.width)))*int64(len(js)) + int64(k)
				x := float64(math.Float32frombits(d[b*n.width+j]))
				sum[at] += x
				size[at] += math.Abs(x)
			}
		}
	}
	return sum, size, nil
}

// descentCheck compares weights and biases after the step: w - rate * slope in float32,
// with the slopes of rows from first on that the device had.
func descentCheck(c *suites.Check, n net, l int, first int64, slope []uint32, js []int64, t *suites.Tally) error {
	w := suites.Stream{Seed: c.Build.Seed, Workload: nnNumber, Array: idWeights + uint32(l)}
	b := suites.Stream{Seed: c.Build.Seed, Workload: nnNumber, Array: idBias + uint32(l)}
	count := int64(len(slope)) / n.width
	weight := min(first+count, n.width) - first // rows that are no bias
	var words []uint32
	var err error
	if weight > 0 {
		if words, err = c.Out.Words(weights(l), first*n.width, weight*n.width); err != nil {
			return err
		}
	}
	if first+count > n.width {
		bias, err := c.Out.Words(biases(l), 0, n.width)
		if err != nil {
			return err
		}
		words = append(words[:len(words):len(words)], bias...)
	}
	for i := range count {
		for _, j := range js {
			at := i*n.width + j
			step := float32(rate * math.Float32frombits(slope[at]))
			if i < weight {
				index := first*n.width + at
				t.Float(weights(l), index, words[at], w.F32(index, lo, hi)-step)
			} else {
				t.Float(biases(l), j, words[at], b.F32(j, biasLo, biasHi)-step)
			}
		}
	}
	return nil
}
