package infogeo

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func build(t *testing.T, w suites.Workload, b suites.Build) *program.Program {
	t.Helper()
	p, err := w.Build(b)
	if err == nil {
		err = suitetest.Invariants(p, b.Count)
	}
	if err != nil {
		t.Fatalf("%s, size %d, count %d: %v", w.Info().ID, b.Size, b.Count, err)
	}
	return p
}

// TestClosedFormsAreExpectations compares closed forms with sums and integrals of the score's
// outer product over the family itself.
func TestClosedFormsAreExpectations(t *testing.T) {
	const a, b = 0.8, 1.3
	expect := func(weight func(x float64) float64, score func(x float64) [2]float64, from, to, step float64) (g [3]float64) {
		for x := from; x < to; x += step {
			w, s := weight(x)*step, score(x)
			g[0] += w * s[0] * s[0]
			g[1] += w * s[0] * s[1]
			g[2] += w * s[1] * s[1]
		}
		return g
	}
	normal := func(mu, s float64) func(float64) float64 {
		return func(x float64) float64 {
			return math.Exp(-(x-mu)*(x-mu)/(2*s*s)) / (s * math.Sqrt(2*math.Pi))
		}
	}
	mean, variance := a/(2*b), 1/(2*b) // natural (a, -b)
	for model, got := range map[int64][3]float64{
		gaussian: expect(normal(a, b), func(x float64) [2]float64 {
			return [2]float64{(x - a) / (b * b), ((x-a)*(x-a) - b*b) / (b * b * b)}
		}, -20, 20, 1e-3),
		natural: expect(normal(mean, math.Sqrt(variance)), func(x float64) [2]float64 {
			return [2]float64{x - mean, x*x - mean*mean - variance}
		}, -20, 20, 1e-3),
		poisson: expect(func(k float64) float64 {
			g, _ := math.Lgamma(k + 1)
			return math.Exp(k*math.Log(a) - a - g)
		}, func(k float64) [2]float64 { return [2]float64{k/a - 1, 0} }, 0, 60, 1),
		exponential: expect(func(x float64) float64 { return a * math.Exp(-a*x) }, func(x float64) [2]float64 { return [2]float64{1/a - x, 0} }, 0, 80, 1e-4),
		bernoulli:   expect(func(x float64) float64 { return []float64{1 - a/2, a / 2}[int(x)] }, func(x float64) [2]float64 { return [2]float64{x/(a/2) - (1-x)/(1-a/2), 0} }, 0, 2, 1),
		categorical: expect(func(k float64) float64 { return []float64{a / 4, b / 4, 1 - a/4 - b/4}[int(k)] }, func(k float64) [2]float64 {
			return [][2]float64{{4 / a, 0}, {0, 4 / b}, {-1 / (1 - a/4 - b/4), -1 / (1 - a/4 - b/4)}}[int(k)]
		}, 0, 3, 1),
		logits: expect(func(k float64) float64 { return []float64{a / 4, b / 4, 1 - a/4 - b/4}[int(k)] }, func(k float64) [2]float64 {
			s := [2]float64{-a / 4, -b / 4}
			if k < 2 {
				s[int(k)]++
			}
			return s
		}, 0, 3, 1),
	} {
		want := closedForm(model, a, b)
		for j := range want {
			if math.Abs(got[j]-want[j]) > 2e-4*(1+math.Abs(want[j])) {
				t.Errorf("%s: g[%d] = %v, expected %v", modelNames[model], j, want[j], got[j])
			}
		}
	}
	g := closedForm(natural, a, b)
	if det := g[0]*g[2] - g[1]*g[1]; math.Abs(det-1/(4*b*b*b)) > 1e-12 {
		t.Errorf("determinant %v", det)
	}
}

func TestFisherProgramsAreValid(t *testing.T) {
	for _, size := range []int64{1, 17, 999, 1000, 1 << 14, 1 << 20, 1 << 21} {
		for _, count := range []int{1, 2, 3, 7} {
			for model := range int64(logits + 1) {
				b := suitetest.Build(fisher{}, size, count)
				b.Params["model"] = model
				build(t, fisher{}, b)
				build(t, fisher{}, suitetest.Uneven(b))
			}
			b := suitetest.Build(fisher{}, size, count)
			b.Limits.SharedBytes = 48 << 10
			one, p := build(t, fisher{}, suitetest.Build(fisher{}, size, 1)), build(t, fisher{}, b)
			if p.Units != one.Units {
				t.Errorf("size %d: %d devices change the chunks", size, count)
			}
			build(t, fisher{}, suitetest.Weak(fisher{}, size, count))
		}
	}
	for _, dim := range []int64{32, 65, maxDim + 64} {
		b := suitetest.Build(fisher{}, 100, 1)
		b.Params["dim"] = dim
		if _, err := (fisher{}).Build(b); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("dimension %d: %v", dim, err)
		}
	}
	if _, err := (fisher{}).Build(suitetest.Build(fisher{}, 0, 1)); err == nil {
		t.Error("no rows were accepted")
	}
}

// regression32 is what devices leave, in float32.
func regression32(r regression, seed uint64) map[string][]uint32 {
	x, coefficient := stream(seed, fisherNumber, fisherX), stream(seed, fisherNumber, fisherB)
	var partials []float32
	for chunk := range r.chunks {
		sums := make([]float32, r.stride())
		for row := chunk * r.rows; row < min((chunk+1)*r.rows, r.n); row++ {
			z := float32(0)
			for j := range r.d {
				z += float32(x(row*r.d+j)) * float32(coefficient(j))
			}
			half := float32(math.Exp(-math.Abs(float64(z)) / 2))
			root := half / (1 + half*half)
			for i := range r.d {
				for j := range i + 1 {
					sums[r.index(i, j)] += float32(x(row*r.d+i)) * root * (float32(x(row*r.d+j)) * root)
				}
			}
		}
		partials = append(partials, sums...)
	}
	tree := append([]float32(nil), partials...)
	n := int(r.stride())
	for s := 1; s < int(r.chunks); s *= 2 {
		for i := 0; i+s < int(r.chunks); i += 2 * s {
			for e := range n {
				tree[i*n+e] += tree[(i+s)*n+e]
			}
		}
	}
	f := make([]float32, r.d*r.d)
	for i := range r.d {
		for j := range r.d {
			f[i*r.d+j] = tree[r.index(max(i, j), min(i, j))] * (1 / float32(r.n))
		}
	}
	return map[string][]uint32{"partials": words(partials), "sum": words(tree[:n]), "F": words(f)}
}

func words(x []float32) []uint32 {
	out := make([]uint32, len(x))
	for i, v := range x {
		out[i] = bits(v)
	}
	return out
}

func TestLogisticVerify(t *testing.T) {
	b := suitetest.Build(fisher{}, 300, 2)
	p := build(t, fisher{}, b)
	r, err := regress(b)
	if err != nil {
		t.Fatal(err)
	}
	arrays := regression32(r, b.Seed)
	c := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: arrays}}
	for _, c.Full = range []bool{true, false} {
		got, err := fisher{}.Verify(c)
		if err != nil || got.Wrong != "" || got.Worst <= 0 || got.Worst > 1 || got.Checked < suites.MinSampled {
			t.Errorf("full %v: %+v, %v", c.Full, got, err)
		}
	}
	c.Full = true
	for _, array := range []string{"partials", "sum", "F"} {
		at := 0
		if array == "F" {
			at = 5 // of the upper triangle
		}
		was := arrays[array][at]
		arrays[array][at] = bits(math.Float32frombits(was) + 0.01)
		if got, err := (fisher{}).Verify(c); err != nil || got.Wrong == "" {
			t.Errorf("a wrong %s passes: %+v, %v", array, got, err)
		}
		arrays[array][at] = was
	}
}

func TestPointsVerify(t *testing.T) {
	for model := int64(empirical); model <= logits; model++ {
		b := suitetest.Build(fisher{}, 400, 2)
		b.Params["model"], b.Params["samples"] = model, 100
		p := build(t, fisher{}, b)
		point, samples := stream(b.Seed, fisherNumber, fisherPoints), readSamples(b)
		var g []float32
		for i := range b.Size {
			want := closedForm(model, point(2*i), point(2*i+1))
			if model == empirical {
				want, _ = scores(samples, point(2*i), point(2*i+1))
			}
			g = append(g, float32(want[0]), float32(want[1]), float32(want[2]))
		}
		arrays := map[string][]uint32{"g": words(g)}
		c := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: arrays}}
		if got, err := (fisher{}).Verify(c); err != nil || got.Wrong != "" || got.Checked != 3*b.Size {
			t.Errorf("%s: %+v, %v", modelNames[model], got, err)
		}
		arrays["g"][0] = bits(g[0] * 1.001)
		if got, err := (fisher{}).Verify(c); err != nil || got.Wrong == "" {
			t.Errorf("%s: a wrong g11 passes: %+v, %v", modelNames[model], got, err)
		}
	}
}
