package tropical

import (
	"math"
	"slices"

	"github.com/amgpu/amgpu/suites"
)

// layer is the weights of one layer, row-major, and its biases.
type layer struct{ weights, bias []float32 }

// layersOf makes all layers of a network.
func (n net) layersOf(seed uint64) []layer {
	out := make([]layer, n.layers)
	for l := range out {
		w := suites.Stream{Seed: seed, Workload: nnNumber, Array: idWeights + uint32(l+1)}
		b := suites.Stream{Seed: seed, Workload: nnNumber, Array: idBias + uint32(l+1)}
		out[l] = layer{vector(w, 0, n.width*n.width), make([]float32, n.width)}
		for o := range out[l].bias {
			out[l].bias[o] = b.F32(int64(o), biasLo, biasHi)
		}
	}
	return out
}

// forward is the output for one row and who won: the lowest input on ties, the number of
// inputs where only the bias reaches the maximum.
func (l layer) forward(x []float32) (y []float32, winner []uint32) {
	width := len(l.bias)
	y, winner = make([]float32, width), make([]uint32, width)
	for o := range y {
		y[o] = zero(false)
	}
	for i, v := range x {
		for o, w := range l.weights[i*width : (i+1)*width] {
			if sum := v + w; sum > y[o] {
				y[o], winner[o] = sum, uint32(i)
			}
		}
	}
	for o, b := range l.bias {
		if b > y[o] {
			y[o], winner[o] = b, uint32(len(x))
		}
	}
	return y, winner
}

// run is the forward pass for one row: outputs and winners of every layer, and what scaling
// subtracts after each.
func (n net) run(layers []layer, x []float32) (ys [][]float32, winner [][]uint32, shifts []float32) {
	shifts = make([]float32, len(layers))
	for l := range layers {
		y, win := layers[l].forward(x)
		if n.scaling && l+1 < len(layers) {
			shifts[l] = slices.Max(y)
			for o := range y {
				y[o] -= shifts[l]
			}
		}
		ys, winner, x = append(ys, y), append(winner, win), y
	}
	return ys, winner, shifts
}

// self names the check of the forward pass on outputs of the device.
const self = "outputs = heaviest paths through the network, walked from the outputs back"

// Verify compares outputs of the forward pass (and winners) bit for bit with the network
// in float32. Of a training step it checks each part against what the device made of the
// part before: slopes of rows and of weights in float64, the descent exactly.
func (nn) Verify(c *suites.Check) (suites.Outcome, error) {
	n, err := netOf(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	rows := rowsToCheck(c, n)
	tally, err := forwardCheck(c, n, rows)
	if err != nil || !n.train {
		return tally.Outcome("E0", self), err
	}
	if err := rowSlopes(c, n, rows, &tally); err != nil {
		return suites.Outcome{}, err
	}
	for l := 1; l <= n.layers; l++ {
		if err := sumsCheck(c, n, l, &tally); err != nil {
			return suites.Outcome{}, err
		}
	}
	return tally.Outcome("E1", self+"; winners exact, slopes of a column add up to those of the rows, descent exact"), nil
}

// rowsToCheck is every row when the check is full, else Philox-chosen ones with the ends of
// every share.
func rowsToCheck(c *suites.Check, n net) []int64 {
	if c.Full {
		return suites.SampleIndices(0, nnNumber, 0, n.batch, int(n.batch))
	}
	rows := suites.SampleIndices(c.Build.Seed, nnNumber, 0, n.batch, int(ceilDiv(suites.MinSampled, n.width)))
	for _, s := range c.Program.Shares {
		if s.Len() > 0 {
			rows = append(rows, s.Lo, s.Hi-1)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

func forwardCheck(c *suites.Check, n net, rows []int64) (suites.Tally, error) {
	layers := n.layersOf(c.Build.Seed)
	in := suites.Stream{Seed: c.Build.Seed, Workload: nnNumber, Array: idInput}
	last := n.layers
	outs, wins := make([][]uint32, len(rows)), make([][][]uint32, len(rows))
	for k, b := range rows {
		var err error
		if outs[k], err = c.Out.Words(output(last), b*n.width, n.width); err != nil {
			return suites.Tally{}, err
		}
		for l := 1; l <= last && n.train; l++ {
			win, err := c.Out.Words(winners(l), b*n.width, n.width)
			if err != nil {
				return suites.Tally{}, err
			}
			wins[k] = append(wins[k], win)
		}
	}
	ends := n.pathsTo(layers, c.Build.Seed)
	return suites.Spread(int64(len(rows)), func(from, to int64, t *suites.Tally) {
		for k := from; k < to; k++ {
			x := make([]float32, n.width)
			for i := range x {
				x[i] = in.F32(rows[k]*n.width+int64(i), lo, hi)
			}
			ys, winner, shifts := n.run(layers, x)
			for _, e := range ends {
				e.compare(t, rows[k], x, shifts, outs[k][e.output])
			}
			for o, y := range ys[last-1] {
				t.Float(output(last), rows[k]*n.width+int64(o), outs[k][o], y)
			}
			for l, win := range wins[k] {
				for o := range win {
					t.Bits(winners(l+1), rows[k]*n.width+int64(o), win[o], winner[l][o])
				}
			}
		}
	}), nil
}

// rowSlopes checks the slopes by the outputs: y - t in the last layer, before it sums over
// what each input won.
func rowSlopes(c *suites.Check, n net, rows []int64, t *suites.Tally) error {
	target := suites.Stream{Seed: c.Build.Seed, Workload: nnNumber, Array: idTarget}
	for _, b := range rows {
		y, err := c.Out.Words(output(n.layers), b*n.width, n.width)
		if err != nil {
			return err
		}
		d, err := c.Out.Words(delta(n.layers), b*n.width, n.width)
		if err != nil {
			return err
		}
		for o := range d {
			at := b*n.width + int64(o)
			t.Float(delta(n.layers), at, d[o], math.Float32frombits(y[o])-target.F32(at, targetLo, targetHi))
		}
		for l := n.layers; l > 1; l-- {
			win, err := c.Out.Words(winners(l), b*n.width, n.width)
			if err != nil {
				return err
			}
			before, err := c.Out.Words(delta(l-1), b*n.width, n.width)
			if err != nil {
				return err
			}
			sum, size := make([]float64, n.width+1), make([]float64, n.width+1)
			for o, w := range win {
				x := float64(math.Float32frombits(d[o]))
				w = min(w, uint32(n.width))
				sum[w] += x
				size[w] += math.Abs(x)
			}
			for i := range before {
				t.Near(delta(l-1), b*n.width+int64(i), before[i], sum[i], suites.E1(float64(n.width), size[i]))
			}
			d = before
		}
	}
	return nil
}
