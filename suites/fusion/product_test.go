package fusion

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestSignsAreThoseOfTheMaskTable(t *testing.T) {
	mask := [8]uint8{0x00, 0x00, 0xAA, 0xAA, 0x66, 0x66, 0xCC, 0xCC}
	for a := range 8 {
		for b := range 8 {
			if want := float64(1 - 2*int(mask[a]>>b&1)); sign(a, b) != want {
				t.Errorf("blades %03b and %03b: %v", a, b, sign(a, b))
			}
		}
	}
}

// TestTropicalProductIsAMaximum: one large summand each decides a single component, and all
// components are reached; the tropical product commutes.
func TestTropicalProductIsAMaximum(t *testing.T) {
	a, b := multivector{3: 10}, multivector{5: 20}
	if got := tropical(a, b); got[3^5] != 30 {
		t.Errorf("component %d is %v", 3^5, got[3^5])
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range a {
		a[i], b[i] = float64(float32(rng.NormFloat64())), float64(float32(rng.NormFloat64()))
	}
	if tropical(a, b) != tropical(b, a) {
		t.Error("a b differs from b a")
	}
}

// TestDualPartIsADerivative compares it with a difference quotient of the value part.
func TestDualPartIsADerivative(t *testing.T) {
	x, y := read(1, productNumber, operandX, 3), read(1, productNumber, operandY, 3)
	const h = 1e-6
	at := func(h float64) multivector {
		a, b := x.r, y.r
		for i := range a {
			a[i] += h * x.d[i]
			b[i] += h * y.d[i]
		}
		c, _ := a.times(b)
		return c
	}
	z, _ := x.times(y)
	up, down := at(h), at(-h)
	for i := range z.d {
		if got := (up[i] - down[i]) / (2 * h); math.Abs(got-z.d[i]) > 1e-8 {
			t.Errorf("component %d: %v, difference quotient %v", i, z.d[i], got)
		}
	}
}

func build(t *testing.T, w suites.Workload, b suites.Build) *program.Program {
	t.Helper()
	p, err := w.Build(b)
	if err == nil {
		err = suitetest.Invariants(p, b.Count)
	}
	if err != nil {
		t.Fatalf("%s %s, size %d, count %d: %v", w.Info().ID, b.Split, b.Size, b.Count, err)
	}
	return p
}

func TestProductProgramsAreValid(t *testing.T) {
	for _, split := range (product{}).Info().Splits {
		for _, size := range []int64{1, 2, 17, 255, 257, 1021, 1 << 12, 1 << 22} {
			for _, count := range []int{1, 2, 3, 4, 7} {
				b := suitetest.Build(product{}, size, count)
				b.Split = split
				build(t, product{}, b)
				build(t, product{}, suitetest.Uneven(b))
			}
		}
	}
	if _, err := (product{}).Build(suitetest.Build(product{}, 0, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
		t.Errorf("no elements: %v", err)
	}
}

// TestLoadsOfStages: what a device of a pipeline has to do is its stages, wherever the
// outputs lie.
func TestLoadsOfStages(t *testing.T) {
	for count, want := range map[int][]int64{1: {608}, 2: {120, 488}, 3: {120, 368, 120}, 5: {120, 368, 120, 0, 0}} {
		b := suitetest.Build(product{}, 1000, count)
		b.Split = pipeline
		p := build(t, product{}, b)
		for i, flops := range want {
			if got := p.Load(i); got != 1000*flops {
				t.Errorf("%d devices: device %d has %d flop, want %d", count, i, got, 1000*flops)
			}
		}
	}
}

// TestPipelineVisitsEveryStageInOrder follows each micro-batch through the ticks: every
// stage once, in order, and handed over before it is used on another device.
func TestPipelineVisitsEveryStageInOrder(t *testing.T) {
	for _, count := range []int{1, 2, 3, 5} {
		b := suitetest.Build(product{}, 1000, count)
		b.Split = pipeline
		p := build(t, product{}, b)
		at := stageDevice(count)
		done := map[int64]int{} // stages behind the micro-batch that starts there
		received := map[int]int64{}
		made := map[int]int64{}
		for _, st := range p.Steps {
			if send, ok := st.(program.Send); ok {
				for _, pair := range send.Pairs {
					received[pair.To] = made[pair.From]
				}
				continue
			}
			d := st.(program.Dispatch)
			first := d.Bind[2].First
			s := done[first]
			if d.Kernel != stageNames[s] || d.On[at[s]].Units == 0 {
				t.Fatalf("%d devices: stage %s after %d stages", count, d.Kernel, s)
			}
			if d.Bind[1].Array == "received" && received[at[s]] != first {
				t.Errorf("%d devices: stage %s of elements from %d on finds those from %d on", count, d.Kernel, first, received[at[s]])
			}
			made[at[s]] = first
			done[first]++
		}
		if len(done) != 16 {
			t.Errorf("%d devices: %d micro-batches", count, len(done))
		}
		for first, s := range done {
			if s != stages {
				t.Errorf("%d devices: %d stages of elements from %d on", count, s, first)
			}
		}
	}
}

func TestProductVerify(t *testing.T) {
	b := suitetest.Build(product{}, 300, 2)
	p := build(t, product{}, b)
	var words []uint32
	for i := range b.Size {
		x, y := read(b.Seed, productNumber, operandX, i), read(b.Seed, productNumber, operandY, i)
		narrow := func(a, b multivector) (c [8]float32) {
			for i := range a {
				for j := range b {
					c[i^j] += float32(sign(i, j)) * float32(a[i]) * float32(b[j])
				}
			}
			return c
		}
		r, c := narrow(x.r, y.r), narrow(x.c, y.c)
		left, right := narrow(x.r, y.d), narrow(x.d, y.r)
		for _, part := range [][8]float32{tropical(x.t, y.t), r, {}, c} {
			for k, v := range part {
				if part == ([8]float32{}) {
					v = left[k] + right[k]
				}
				words = append(words, math.Float32bits(v))
			}
		}
	}
	c := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: map[string][]uint32{"z": words}}}
	for _, c.Full = range []bool{true, false} {
		got, err := product{}.Verify(c)
		if err != nil || got.Wrong != "" || got.Worst <= 0 || got.Worst > 1 || got.Checked < suites.MinSampled {
			t.Errorf("full %v: %+v, %v", c.Full, got, err)
		}
	}
	for _, at := range []int{0, 12, 20, 28} { // a word of each part
		was := words[at]
		words[at] = math.Float32bits(math.Float32frombits(was) + 0.01)
		if got, err := (product{}).Verify(c); err != nil || got.Wrong == "" {
			t.Errorf("word %d off passes: %+v, %v", at, got, err)
		}
		words[at] = was
	}
}
