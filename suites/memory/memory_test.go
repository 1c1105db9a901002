package memory

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// kernels pairs each workload with what it computes and its arrays.
var kernels = []struct {
	w suites.Workload
	e elementwise
	f func(x, y float32) float32
}{
	{triad{}, triadKernel, triadElement},
	{vectorAdd{}, vectorAddKernel, func(x, y float32) float32 { return x + y }},
	{duplicate{}, duplicateKernel, func(x, _ float32) float32 { return x }},
}

func TestProgramsAreValidForOddSizesAndCounts(t *testing.T) {
	for _, k := range kernels {
		for _, size := range []int64{1, 3, 4, 255, 1021, 4097, 1 << 20, 1 << 30} {
			for _, count := range []int{1, 2, 3, 7} {
				b := suitetest.Build(k.w, size, count)
				p := build(t, k.w, b)
				build(t, k.w, suitetest.Uneven(b))
				if p.Units*unit < size || p.Units*unit >= size+unit {
					t.Errorf("size %d is held in %d units", size, p.Units)
				}
				if p.Work != float64(4*len(p.Arrays))*float64(size) {
					t.Errorf("size %d counts %v bytes", size, p.Work)
				}
			}
		}
	}
}

// build builds a program and fails the test where it is malformed.
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

func TestBuildRefusesSizesThatCannotBe(t *testing.T) {
	for _, size := range []int64{0, -5, maxSize + 1} {
		if _, err := (triad{}).Build(suitetest.Build(triad{}, size, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("size %d: error %v does not say what to choose", size, err)
		}
	}
}

// outputs computes what a correct device leaves.
func outputs(e elementwise, p *program.Program, number uint32, f func(x, y float32) float32) suitetest.Memory {
	words := make([]uint32, p.Units*unit)
	for i := range words {
		x := suites.Stream{Seed: 42, Workload: number, Array: 0}.F32(int64(i), -1, 1)
		y := suites.Stream{Seed: 42, Workload: number, Array: 1}.F32(int64(i), -1, 1)
		words[i] = math.Float32bits(f(x, y))
	}
	return suitetest.Memory{Arrays: map[string][]uint32{e.out: words}}
}

func TestVerify(t *testing.T) {
	for _, k := range kernels {
		b := suitetest.Build(k.w, 5001, 3)
		p := build(t, k.w, b)
		out := outputs(k.e, p, k.w.Info().Number, k.f)
		c := &suites.Check{Build: b, Program: p, Full: true, Out: out}
		for _, full := range []bool{true, false} {
			c.Full = full
			got, err := k.w.Verify(c)
			if err != nil || got.Wrong != "" || got.Class != "E0" || got.Checked < suites.MinSampled {
				t.Errorf("%s, full %v: %+v, %v", k.w.Info().ID, full, got, err)
			}
		}
		// One wrong bit at the very end of a share.
		at := p.Shares[1].Hi*unit - 1
		out.Arrays[k.e.out][at] ^= 1
		for _, full := range []bool{true, false} {
			c.Full = full
			got, err := k.w.Verify(c)
			if err != nil || !strings.HasPrefix(got.Wrong, k.e.out+"[") {
				t.Errorf("%s, full %v misses a wrong bit: %+v, %v", k.w.Info().ID, full, got, err)
			}
		}
		delete(out.Arrays, k.e.out)
		if _, err := k.w.Verify(c); err == nil {
			t.Errorf("%s: an unreadable output is no error", k.w.Info().ID)
		}
	}
}

func TestTriadRoundsTwice(t *testing.T) {
	// With a fused multiply-add this would be 2^-24 * 3 * 2^-23 off.
	b, c := float32(-3), float32(1)+0x1p-23
	if got := triadElement(b, c); got != float32(3*(1+0x1p-23))-3 {
		t.Errorf("triad gives %v", got)
	}
	if fused := float32(float64(b)*1 + 3*float64(c)); triadElement(b, c) == fused {
		t.Error("the example does not tell fused from rounded twice")
	}
}
