package infogeo

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestBregmanByDefinition compares kinds with phi(p) - phi(q) - <grad phi(q), p - q>, the
// gradient by central differences.
func TestBregmanByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	phi := map[int64]func([]float64) float64{
		kullbackLeibler: func(x []float64) (s float64) {
			for _, v := range x {
				s += v * math.Log(v)
			}
			return s
		},
		squaredDistance: func(x []float64) (s float64) {
			for _, v := range x {
				s += v * v / 2
			}
			return s
		},
		logSumExp: func(x []float64) (s float64) {
			for _, v := range x {
				s += math.Exp(v)
			}
			return math.Log(s)
		},
		expSquare: func(x []float64) (s float64) {
			for _, v := range x {
				s += v * v
			}
			return math.Exp(s)
		},
	}
	for kind, phi := range phi {
		for range 20 {
			p, q := make([]float64, 5), make([]float64, 5)
			for i := range p {
				p[i], q[i] = 0.1+0.3*rng.Float64(), 0.1+0.3*rng.Float64()
			}
			want := phi(p) - phi(q)
			for i := range q {
				const h = 1e-6
				x := q[i]
				q[i] = x + h
				up := phi(q)
				q[i] = x - h
				want -= (up - phi(q)) / (2 * h) * (p[i] - x)
				q[i] = x
			}
			if got, _ := (divergent{kind: kind, k: 5}).of(p, q); math.Abs(got-want) > 1e-8 {
				t.Errorf("kind %d: %v, by definition %v", kind, got, want)
			}
		}
	}
}

func normalised(x []float64) []float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v / sum
	}
	return out
}

// TestRelations: limits of alpha, symmetry of Jensen-Shannon and of alpha 0, and KL of
// softmaxes through log-sum-exp and the exponential family.
func TestRelations(t *testing.T) {
	p, q := normalised([]float64{1, 2, 3, 4}), normalised([]float64{2, 2, 1, 5})
	at := func(kind int64, alpha float32, p, q []float64) float64 {
		v, _ := (divergent{kind: kind, k: int64(len(p)), alpha: alpha}).of(p, q)
		return v
	}
	near := func(what string, got, want, bound float64) {
		t.Helper()
		if math.Abs(got-want) > bound {
			t.Errorf("%s: %v, expected %v", what, got, want)
		}
	}
	near("alpha to -1", at(alphaKind, -0.9999, p, q), at(kullbackLeibler, 0, p, q), 1e-4)
	near("alpha to +1", at(alphaKind, 0.9999, p, q), at(kullbackLeibler, 0, q, p), 1e-4)
	sum := 0.0
	for i := range p {
		sum += math.Sqrt(p[i] * q[i])
	}
	near("alpha 0", at(alphaKind, 0, p, q), 4*(1-sum), 1e-12)
	near("JS", at(jensenShannon, 0, p, q), at(jensenShannon, 0, q, p), 1e-15)
	logs := func(x []float64, shift float64) []float64 {
		out := make([]float64, len(x))
		for i, v := range x {
			out[i] = math.Log(v) + shift
		}
		return out
	}
	near("softmaxes", at(logSumExp, 0, logs(p, 0.3), logs(q, -1)), at(kullbackLeibler, 0, q, p), 1e-12)
	// Logits against the last category.
	base := func(x []float64) []float64 { return logs(x[:3], -math.Log(x[3])) }
	near("exponential family", at(exponentialFamily, 0, base(p), base(q)), at(kullbackLeibler, 0, p, q), 1e-12)
}

func TestDivergenceProgramsAreValid(t *testing.T) {
	for _, size := range []int64{1, 3, 63, 64, 65, 1021, 1 << 20} {
		for _, k := range []int64{4, 8, 12, 64, 4096} {
			for _, count := range []int{1, 2, 3, 7} {
				b := suitetest.Build(divergence{}, size, count)
				b.Params["categories"] = k
				build(t, divergence{}, b)
				build(t, divergence{}, suitetest.Uneven(b))
			}
		}
	}
	for _, k := range []int64{0, 6, maxCategories + 4} {
		b := suitetest.Build(divergence{}, 10, 1)
		b.Params["categories"] = k
		if _, err := (divergence{}).Build(b); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("%d categories: %v", k, err)
		}
	}
}

func TestDivergenceVerify(t *testing.T) {
	for kind := range int64(exponentialFamily + 1) {
		for _, alpha := range []int64{-100, 50, 100} {
			b := suitetest.Build(divergence{}, 1100, 2)
			b.Params["kind"], b.Params["alpha"], b.Params["categories"] = kind, alpha, 8
			pr := build(t, divergence{}, b)
			d, _ := diverge(b)
			sp, sq := d.inputs()
			if d.swapped {
				sp, sq = sq, sp
			}
			inP, inQ := stream(b.Seed, divergenceNumber, sp), stream(b.Seed, divergenceNumber, sq)
			var out []uint32
			for i := range b.Size {
				p, q := make([]float64, 8), make([]float64, 8)
				for j := range p {
					p[j], q[j] = inP(8*i+int64(j)), inQ(8*i+int64(j))
				}
				if i%sameEvery == sameEvery-1 {
					q = p
				}
				v, _ := d.of(p, q)
				if i%sameEvery == sameEvery-1 {
					v = 0
				}
				out = append(out, bits(float32(v)))
			}
			c := &suites.Check{Build: b, Program: pr, Out: suitetest.Memory{Arrays: map[string][]uint32{"D": out}}}
			for _, c.Full = range []bool{true, false} {
				if got, err := (divergence{}).Verify(c); err != nil || got.Wrong != "" || got.Checked < suites.MinSampled {
					t.Errorf("kind %d, alpha %d: %+v, %v", kind, alpha, got, err)
				}
			}
			c.Full = true
			for _, at := range []int{0, sameEvery - 1} {
				was := out[at]
				out[at] = bits(math.Float32frombits(was)*1.001 + 1e-4)
				if got, err := (divergence{}).Verify(c); err != nil || got.Wrong == "" {
					t.Errorf("kind %d: pair %d off passes: %+v, %v", kind, at, got, err)
				}
				out[at] = was
			}
		}
	}
}
