package tropical

import (
	"math"
	"testing"

	"github.com/amgpu/amgpu/suites"
)

// TestPathsCatch: the self-check alone agrees with the forward pass, scaled or not, and
// notices outputs that are off, a bias that is left out and a layer that is skipped.
func TestPathsCatch(t *testing.T) {
	for _, params := range [][]string{nil, {"scaling"}} {
		n, err := netOf(request(40, 17, 4, 1, params...))
		if err != nil {
			t.Fatal(err)
		}
		layers := n.layersOf(3)
		in := suites.Stream{Seed: 3, Workload: nnNumber, Array: idInput}
		agree := func(y float32, e end, x, shifts []float32) bool {
			var tally suites.Tally
			e.compare(&tally, 5, x, shifts, math.Float32bits(y))
			return tally.Wrong == ""
		}
		// Sums grow past late biases where nothing scales them; scaled, late biases win.
		bias, skip := 0, 1
		if n.scaling {
			bias, skip = 3, 3
		}
		bare, skipped := 0, 0
		for r := range n.batch {
			x := vector(in, r*n.width, n.width)
			ys, _, shifts := n.run(layers, x)
			unbiased := append([]layer(nil), layers...)
			low := make([]float32, n.width)
			for o := range low {
				low[o] = -100
			}
			unbiased[bias] = layer{layers[bias].weights, low}
			other, _, _ := n.run(unbiased, x)
			short, _, _ := n.run(append(append([]layer(nil), layers[:skip]...), layers[skip+1:]...), x)
			for o := range n.width {
				e := pathsOf(layers, o)
				y := ys[3][o]
				if !agree(y, e, x, shifts) || agree(y+1e-4, e, x, shifts) || agree(y-1e-4, e, x, shifts) || agree(float32(math.NaN()), e, x, shifts) {
					t.Fatalf("%v, row %d, output %d: %v against %+v", params, r, o, y, e)
				}
				if !agree(other[3][o], e, x, shifts) {
					bare++
				}
				if !agree(short[2][o], e, x, shifts) {
					skipped++
				}
			}
		}
		if bare == 0 || skipped == 0 {
			t.Errorf("%v: %d outputs without a bias and %d with a layer less were noticed", params, bare, skipped)
		}
	}
}
