package tropical

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestLayerByHand: the lowest input wins a tie, the bias only where it is larger.
func TestLayerByHand(t *testing.T) {
	l := layer{[]float32{0, 1, 2, 2, 1, 2, 0, 0, 3}, []float32{4, 2, -9}}
	y, winner := l.forward([]float32{1, 1, 0})
	for o, want := range []struct {
		y      float32
		winner uint32
	}{{4, 3}, {2, 0}, {3, 0}} {
		if y[o] != want.y || winner[o] != want.winner {
			t.Errorf("output %d is %v from %d, expected %v from %d", o, y[o], winner[o], want.y, want.winner)
		}
	}
}

// TestLayerIsAProduct: without biases a layer is a row of the max-plus product.
func TestLayerIsAProduct(t *testing.T) {
	const width = 23
	s := suites.Stream{Seed: 2}
	l := layer{vector(s, 0, width*width), make([]float32, width)}
	for o := range l.bias {
		l.bias[o] = zero(false)
	}
	x := vector(s, 5000, width)
	y, winner := l.forward(x)
	for o, want := range multiply(x, l.weights, 1, width, width, false) {
		if y[o] != want || x[winner[o]]+l.weights[int(winner[o])*width+o] != want {
			t.Errorf("output %d is %v from %d, expected %v", o, y[o], winner[o], want)
		}
	}
}

func request(size, width, layers int64, count int, params ...string) suites.Build {
	b := suitetest.Build(nn{}, size, count)
	b.Params["width"], b.Params["layers"] = width, layers
	for _, p := range params {
		b.Params[p] = 1
	}
	return b
}

func TestNetworkBuild(t *testing.T) {
	for _, size := range []int64{1, 7, 64, 127, 129, 1024, 8192} {
		for _, params := range [][]string{nil, {"scaling"}, {"train"}} {
			for _, layers := range []int64{1, 3} {
				for _, count := range []int{1, 2, 3, 7} {
					b := request(size, 0, layers, count, params...)
					for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
						p, err := (nn{}).Build(b)
						if err == nil {
							err = suitetest.Invariants(p, count)
						}
						if err != nil {
							t.Fatalf("size %d, %v, %d layers on %d: %v", size, params, layers, count, err)
						}
					}
				}
			}
		}
	}
	for _, b := range []suites.Build{request(0, 8, 1, 1), request(8, 8, 0, 1), request(8, 8, 2, 1, "scaling", "train")} {
		if _, err := (nn{}).Build(b); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("%v: %v", b.Params, err)
		}
	}
	b := suitetest.Weak(nn{}, 100, 3)
	if p, err := (nn{}).Build(b); err != nil || p.Units != 300 || p.Arrays[0].Stride != 100 {
		t.Errorf("weak growth: %v", err)
	}
	// Kernels by the rows of one device, whatever the count.
	for size, want := range map[int64]string{1024: "tropical/layer64", 4096: "tropical/layer", 1022: "tropical/layer"} {
		for _, count := range []int{1, 8} {
			if p, err := (nn{}).Build(suitetest.Weak(nn{}, size, count)); err != nil || p.Kernels[0].Shader != want {
				t.Errorf("%d rows on each of %d: %v, %v", size, count, p.Kernels, err)
			}
		}
	}
}

// train is a training step of the whole batch in float32, as one device does it.
func train(b suites.Build, n net) map[string][]uint32 {
	out := map[string][]uint32{}
	add := func(name string, x float32) { out[name] = append(out[name], math.Float32bits(x)) }
	layers := n.layersOf(b.Seed)
	in := suites.Stream{Seed: b.Seed, Workload: nnNumber, Array: idInput}
	target := suites.Stream{Seed: b.Seed, Workload: nnNumber, Array: idTarget}
	sum := make([][]float32, n.layers)
	for l := range sum {
		sum[l] = make([]float32, (n.width+1)*n.width)
	}
	for r := range n.batch {
		ys, winner, _ := n.run(layers, vector(in, r*n.width, n.width))
		slope := make([]float32, n.width)
		for o, y := range ys[n.layers-1] {
			add(output(n.layers), y)
			slope[o] = y - target.F32(r*n.width+int64(o), targetLo, targetHi)
		}
		for l := n.layers; l >= 1; l-- {
			before := make([]float32, n.width+1)
			for o, w := range winner[l-1] {
				add(delta(l), slope[o])
				out[winners(l)] = append(out[winners(l)], w)
				sum[l-1][int64(w)*n.width+int64(o)] += slope[o]
				before[w] += slope[o]
			}
			slope = before[:n.width]
		}
	}
	for l := 1; l <= n.layers; l++ {
		for at, x := range sum[l-1] {
			add(sums(l), x)
			if at < len(layers[l-1].weights) {
				add(weights(l), layers[l-1].weights[at]-float32(rate*x))
			} else {
				add(biases(l), layers[l-1].bias[at-len(layers[l-1].weights)]-float32(rate*x))
			}
		}
	}
	return out
}

func TestNetworkVerify(t *testing.T) {
	for _, params := range [][]string{nil, {"scaling"}, {"train"}} {
		b := request(97, 33, 3, 2, params...)
		n, err := netOf(b)
		if err != nil {
			t.Fatal(err)
		}
		p, err := (nn{}).Build(b)
		if err != nil {
			t.Fatal(err)
		}
		out := train(b, n)
		check := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: out}}
		for _, check.Full = range []bool{true, false} {
			got, err := (nn{}).Verify(check)
			if err != nil || got.Wrong != "" || got.Checked < suites.MinSampled || n.train && (got.Worst <= 0 || got.Worst > 1) {
				t.Errorf("%v, full %v: %+v, %v", params, check.Full, got, err)
			}
		}
		check.Full = true
		for name := range out {
			if !n.train && name != output(n.layers) {
				continue
			}
			at := len(out[name]) / 2
			out[name][at] ^= 1 << 30
			if got, err := (nn{}).Verify(check); err != nil || got.Wrong == "" {
				t.Errorf("%v: a wrong %s passes: %+v, %v", params, name, got, err)
			}
			out[name][at] ^= 1 << 30
		}
	}
}

// TestSubgradient: along a small change of one weight or bias the loss changes as the
// slopes say, as long as no winner changes.
func TestSubgradient(t *testing.T) {
	b := request(5, 6, 3, 1, "train")
	n, err := netOf(b)
	if err != nil {
		t.Fatal(err)
	}
	out := train(b, n)
	target := suites.Stream{Seed: b.Seed, Workload: nnNumber, Array: idTarget}
	in := suites.Stream{Seed: b.Seed, Workload: nnNumber, Array: idInput}
	layers := n.layersOf(b.Seed)
	loss := func() (sum float64, all [][][]uint32) {
		for r := range n.batch {
			ys, winner, _ := n.run(layers, vector(in, r*n.width, n.width))
			for o, y := range ys[n.layers-1] {
				d := float64(y) - float64(target.F32(r*n.width+int64(o), targetLo, targetHi))
				sum += d * d / 2
			}
			all = append(all, winner)
		}
		return sum, all
	}
	_, same := loss()
	checked := 0
	for l := range layers {
		width := len(layers[l].bias)
		for at := range width * (width + 1) {
			slope := float64(math.Float32frombits(out[sums(l+1)][at]))
			w := &layers[l].bias[at%width]
			if at < width*width {
				w = &layers[l].weights[at]
			}
			const h = 1.0 / 1024
			was := *w
			*w = was + h
			up, above := loss()
			*w = was - h
			down, below := loss()
			*w = was
			if !reflect.DeepEqual(above, same) || !reflect.DeepEqual(below, same) {
				continue
			}
			if got := (up - down) / (2 * h); math.Abs(got-slope) > 1e-2*(1+math.Abs(slope)) {
				t.Errorf("layer %d, element %d: slope %v, difference quotient %v", l+1, at, slope, got)
			}
			if slope != 0 {
				checked++
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d slopes were compared", checked)
	}
}

func TestTransfersOfATrainingStep(t *testing.T) {
	p, err := (nn{}).Build(request(64, 16, 3, 2, "train"))
	if err != nil {
		t.Fatal(err)
	}
	reduced := 0
	for _, s := range p.Steps {
		if r, ok := s.(program.AllReduce); ok && r.Op == program.Sum {
			a, _ := p.Array(r.Array)
			if a.Units*a.Stride != 16*16+16 {
				t.Errorf("all-reduce of %d elements", a.Units*a.Stride)
			}
			reduced++
		}
	}
	if reduced != 3 || !p.CountDependent || !p.Evolves {
		t.Errorf("%d all-reduces, count-dependent %v, evolves %v", reduced, p.CountDependent, p.Evolves)
	}
}
