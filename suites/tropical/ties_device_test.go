package tropical

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
	"github.com/amgpu/amgpu/vk/vktest"
)

// coarse is a workload on inputs rounded down to multiples of 1/parts, so that many sums are
// equal: those of uniform float32 hardly ever are.
type coarse struct {
	suites.Workload
	parts  float32
	verify func(c *suites.Check) (suites.Tally, error)
	// choices that the check has seen, and how many of them are between equals: the last one
	// is another than the first.
	choices, equals atomic.Int64
}

func (w *coarse) chosen(first, last int) {
	w.choices.Add(1)
	if first != last {
		w.equals.Add(1)
	}
}

func (w *coarse) round(x float32) float32 {
	return float32(math.Floor(float64(x*w.parts))) / w.parts
}

func (w *coarse) all(xs []float32) []float32 {
	for i, x := range xs {
		xs[i] = w.round(x)
	}
	return xs
}

// backwards is rows of width in falling order: what comes first among equals came last.
func backwards(xs []float32, width int64) (out []float32) {
	for row := range slices.Chunk(xs, int(width)) {
		out = append(slices.Clone(row), out...)
	}
	return out
}

func (w *coarse) Build(b suites.Build) (*program.Program, error) {
	p, err := w.Workload.Build(b)
	if err != nil {
		return nil, err
	}
	for i := range p.Arrays {
		s := p.Arrays[i].Source
		if s.Kind != program.PhiloxF32 {
			continue
		}
		in := suites.Stream{Seed: b.Seed, Workload: w.Info().Number, Array: s.ID}
		p.Arrays[i].Source = program.Source{Kind: program.Made, ID: s.ID, Make: func(_ int, first int64, into []uint32) {
			for n := range into {
				into[n] = math.Float32bits(w.round(in.F32(first+int64(n), s.A, s.B)))
			}
		}}
	}
	return p, nil
}

func (w *coarse) Verify(c *suites.Check) (suites.Outcome, error) {
	t, err := w.verify(c)
	return t.Outcome("E0", "the first of equals"), err
}

// onDevices runs a workload on three devices of two drivers, with all outputs compared.
func (w *coarse) onDevices(t *testing.T, size int64, params map[string]int64) {
	_, adapters := vktest.Team(t, "2+swiftshader")
	t.Run(fmt.Sprint(size, params), func(t *testing.T) {
		b := suitetest.Build(w, size, len(adapters))
		b.Limits = engine.PoolLimits(adapters)
		maps.Copy(b.Params, params)
		s, err := engine.Launch(context.Background(), engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: b})
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Verify(context.Background(), true)
		if err = errors.Join(err, s.Close()); err != nil || v.Outcome.Wrong != "" {
			t.Fatalf("%s %v", v.Outcome.Wrong, err)
		}
		if all, equal := w.choices.Swap(0), w.equals.Swap(0); 10*equal < all {
			t.Errorf("%d of %d choices are between equals: nothing is shown", equal, all)
		}
	})
}

// TestViterbiTiesOnDevices: the lowest state before, and the lowest last one.
func TestViterbiTiesOnDevices(t *testing.T) {
	w := &coarse{Workload: viterbi{}, parts: 1}
	w.verify = func(c *suites.Check) (suites.Tally, error) {
		n, times := c.Build.Params["states"], c.Build.Params["length"]
		m := newModel(c.Build.Seed, n)
		m = model{n, w.all(m.transition), w.all(m.emission), w.all(m.start)}
		turned := model{n, backwards(m.transition, 1), backwards(backwards(m.emission, 1), n), backwards(m.start, 1)}
		in := suites.Stream{Seed: c.Build.Seed, Workload: viterbiNumber, Array: idSymbol}
		return c.EachUnit("path", c.Program.Units, func(u int64, got []uint32, t *suites.Tally) {
			symbol := make([]uint32, times)
			for i := range symbol {
				symbol[i] = in.Word(u*times+int64(i)) % symbols
			}
			path, _ := m.decode(symbol)
			last, _ := turned.decode(symbol)
			for i, state := range path {
				t.Bits("path", u*times+int64(i), got[i], state)
				w.chosen(int(state), int(n)-1-int(last[i]))
			}
		})
	}
	w.onDevices(t, 67, map[string]int64{"states": 21, "length": 6})
	w.onDevices(t, 35, map[string]int64{"states": 132, "length": 4})
}

// TestAttentionTiesOnDevices: the lowest key.
func TestAttentionTiesOnDevices(t *testing.T) {
	w := &coarse{Workload: attention{}, parts: 32}
	w.verify = func(c *suites.Check) (suites.Tally, error) {
		dim := c.Build.Params["dim"]
		stream := func(id uint32) suites.Stream {
			return suites.Stream{Seed: c.Build.Seed, Workload: attentionNumber, Array: id}
		}
		keys := w.all(vector(stream(idKey), 0, c.Build.Size*dim))
		turned := backwards(keys, dim)
		return c.EachUnit("winner", c.Program.Units, func(q int64, got []uint32, t *suites.Tally) {
			query := w.all(vector(stream(idQuery), q*dim, dim))
			first, _ := attend(query, keys)
			last, _ := attend(query, turned)
			t.Bits("winner", q, got[0], uint32(first))
			w.chosen(int(first), int(c.Build.Size-1-last))
		})
	}
	w.onDevices(t, 301, map[string]int64{"dim": 3})
	w.onDevices(t, 300, map[string]int64{"dim": 4})
}

// TestNetworkTiesOnDevices: the lowest input, and an input before the bias.
func TestNetworkTiesOnDevices(t *testing.T) {
	w := &coarse{Workload: nn{}, parts: 4}
	var all, biased atomic.Int64 // outputs, and those whose best input is no more than the bias
	w.verify = func(c *suites.Check) (suites.Tally, error) {
		n, err := netOf(c.Build)
		if err != nil {
			return suites.Tally{}, err
		}
		layers := n.layersOf(c.Build.Seed)
		for _, l := range layers {
			w.all(l.weights)
			w.all(l.bias)
		}
		in := suites.Stream{Seed: c.Build.Seed, Workload: nnNumber, Array: idInput}
		first := layers[0]
		turned := layer{backwards(first.weights, n.width), first.bias}
		return c.EachUnit(winners(1), n.batch, func(b int64, got []uint32, t *suites.Tally) {
			x := w.all(vector(in, b*n.width, n.width))
			y, lowest := first.forward(x)
			_, highest := turned.forward(backwards(x, 1))
			for o, i := range lowest {
				t.Bits(winners(1), b*n.width+int64(o), got[o], i)
				all.Add(1)
				if int64(i) < n.width && y[o] == first.bias[o] {
					biased.Add(1)
				}
				if j := int(highest[o]); j < int(n.width) {
					w.chosen(int(i), int(n.width)-1-j)
				}
			}
		})
	}
	for size, width := range map[int64]int64{67: 21, 35: 132} {
		w.onDevices(t, size, map[string]int64{"width": width, "train": 1, "layers": 1})
		if all, equal := all.Swap(0), biased.Swap(0); 50*equal < all {
			t.Errorf("in %d of %d outputs an input is equal to the bias: nothing is shown", equal, all)
		}
	}
}
