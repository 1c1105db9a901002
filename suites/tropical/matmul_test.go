package tropical

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestMultiplyByHand(t *testing.T) {
	inf := float32(math.Inf(-1))
	// Longest paths with two edges: rows 2x3 times 3x2.
	a := []float32{1, inf, 3, 0, 5, -2}
	b := []float32{2, 0, 7, 1, -1, 4}
	want := []float32{3, 7, 12, 6}
	for i, got := range multiply(a, b, 2, 3, 2, false) {
		if got != want[i] {
			t.Errorf("element %d is %v, want %v", i, got, want[i])
		}
	}
}

// TestMultiplyIdentityAndAssociativity: the identity has 0 on the diagonal and
// -infinity elsewhere; integers keep associativity exact.
func TestMultiplyIdentityAndAssociativity(t *testing.T) {
	const n = 17
	stream := suites.Stream{Seed: 1}
	mats := make([][]float32, 3)
	for m := range mats {
		mats[m] = make([]float32, n*n)
		for i := range mats[m] {
			mats[m][i] = float32(stream.Word(int64(m*n*n+i)) % 1000)
		}
	}
	one := make([]float32, n*n)
	for i := range one {
		one[i] = float32(math.Inf(-1))
		if i%(n+1) == 0 {
			one[i] = 0
		}
	}
	mul := func(a, b []float32) []float32 { return multiply(a, b, n, n, n, false) }
	same := func(what string, a, b []float32) {
		t.Helper()
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("%s: element %d is %v and %v", what, i, a[i], b[i])
			}
		}
	}
	same("a one = a", mul(mats[0], one), mats[0])
	same("one a = a", mul(one, mats[0]), mats[0])
	same("(ab)c = a(bc)", mul(mul(mats[0], mats[1]), mats[2]), mul(mats[0], mul(mats[1], mats[2])))
}

func TestBuildShapes(t *testing.T) {
	for _, n := range []int64{1, 7, 128, 137, 256, 4096} {
		for _, count := range []int{1, 2, 3, 8} {
			for _, b := range []suites.Build{
				suitetest.Build(matmul{}, n, count), suitetest.Weak(matmul{}, n, count),
				suitetest.Uneven(suitetest.Build(matmul{}, n, count)),
			} {
				p, err := matmul{}.Build(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := suitetest.Invariants(p, count); err != nil {
					t.Errorf("n %d on %d (weak %v): %v", n, count, b.Weak, err)
				}
			}
		}
	}
}

// TestBlocksCoverDepth: every row of B is used once, windows fit the binding, and
// only the first block starts afresh.
func TestBlocksCoverDepth(t *testing.T) {
	b := suitetest.Build(matmul{}, 16384, 2)
	p, err := matmul{}.Build(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Steps) < 2 {
		t.Fatalf("%d steps: 1 GiB of B must not fit one binding of 128 MiB", len(p.Steps))
	}
	var next int64
	for n, s := range p.Steps {
		d := s.(program.Dispatch)
		w := d.Bind[1]
		if w.First != next || w.Units*16384*4 > b.Limits.BindingBytes-slackBytes || w.First%step != 0 {
			t.Errorf("block %d is rows %d+%d of B", n, w.First, w.Units)
		}
		if keep := d.On[0].Push[4]; (keep == 1) != (n > 0) || (d.Bind[2].Access == program.ReadWrite) != (n > 0) {
			t.Errorf("block %d: keep %d, access %d", n, keep, d.Bind[2].Access)
		}
		next += w.Units
	}
	if next != 16384 {
		t.Errorf("blocks end at row %d", next)
	}
	if got := p.Steps[0].(program.Dispatch).On[0].Groups(300); got != 3*128 {
		t.Errorf("300 rows run in %d groups, want 3 x 128", got)
	}
}

func TestBuildRefusesTooWide(t *testing.T) {
	b := suitetest.Build(matmul{}, 1<<22, 1)
	if _, err := (matmul{}).Build(b); err == nil || !strings.Contains(err.Error(), "choose a size up to 2097") {
		t.Errorf("error %v", err)
	}
	b = suitetest.Build(matmul{}, 0, 1)
	if _, err := (matmul{}).Build(b); err == nil {
		t.Error("size 0 was accepted")
	}
}

// outputs computes C with the reference.
func outputs(rows, edge int64, seed uint64, least bool) []uint32 {
	return outputsWithout(-1, rows, edge, seed, least)
}

// outputsWithout computes C from all k but one.
func outputsWithout(k, rows, edge int64, seed uint64, least bool) []uint32 {
	a := suites.Stream{Seed: seed, Workload: 4, Array: idA}
	b := suites.Stream{Seed: seed, Workload: 4, Array: idB}
	x, y := make([]float32, rows*edge), make([]float32, edge*edge)
	for i := range x {
		x[i] = a.F32(int64(i), lo, hi)
	}
	for i := range y {
		y[i] = b.F32(int64(i), lo, hi)
	}
	if k >= 0 {
		for j := range edge {
			y[k*edge+j] = zero(least)
		}
	}
	var words []uint32
	for _, v := range multiply(x, y, rows, edge, edge, least) {
		words = append(words, math.Float32bits(v))
	}
	return words
}

func TestVerify(t *testing.T) {
	for _, full := range []bool{true, false} {
		t.Run(fmt.Sprint("full ", full), func(t *testing.T) {
			b := suitetest.Weak(matmul{}, 61, 2)
			p, err := matmul{}.Build(b)
			if err != nil {
				t.Fatal(err)
			}
			words := outputs(122, 61, b.Seed, false)
			check := &suites.Check{Build: b, Program: p, Full: full, Out: suitetest.Memory{Arrays: map[string][]uint32{"C": words}}}
			out, err := matmul{}.Verify(check)
			if err != nil || out.Wrong != "" {
				t.Fatalf("right outputs: %v %s", err, out.Wrong)
			}
			if out.Checked < suites.MinSampled || full && out.Checked != 122*61 {
				t.Errorf("checked %d", out.Checked)
			}
			first := p.Shares[1].Lo * 61 // the start of a share is part of every sample
			words[first] ^= 1
			if out, err = (matmul{}).Verify(check); err != nil || out.Wrong == "" {
				t.Errorf("one flipped bit passed: %v", err)
			}
			words[first] ^= 1
			words[60*61+7] = math.Float32bits(-3) // breaks the lower bound
			if out, err = (matmul{}).Verify(check); err != nil || out.Wrong == "" {
				t.Errorf("an output below a pair passed: %v", err)
			}
		})
	}
}

func TestVerifyReportsUnreadable(t *testing.T) {
	b := suitetest.Build(matmul{}, 8, 1)
	p, err := matmul{}.Build(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (matmul{}).Verify(&suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{}}); err == nil {
		t.Error("a check without outputs passed")
	}
}
