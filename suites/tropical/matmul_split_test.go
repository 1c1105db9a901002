package tropical

import (
	"math"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestMinPlusIsMaxPlusNegated: min_k (a + b) = -max_k (-a - b), and a shortest path by hand.
func TestMinPlusIsMaxPlusNegated(t *testing.T) {
	const n = 19
	s := suites.Stream{Seed: 5}
	a, b, na, nb := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		a[i], b[i] = s.F32(int64(i), -1, 1), s.F32(int64(n*n+i), -1, 1)
		na[i], nb[i] = -a[i], -b[i]
	}
	most := multiply(na, nb, n, n, n, false)
	for i, x := range multiply(a, b, n, n, n, true) {
		if x != -most[i] {
			t.Fatalf("element %d: %v and %v", i, x, -most[i])
		}
	}
	inf := float32(math.Inf(1))
	if got := multiply([]float32{3, inf, 1}, []float32{1, 0, 4}, 1, 3, 1, true)[0]; got != 4 {
		t.Errorf("shortest of 3+1, inf+0, 1+4 is %v", got)
	}
}

// TestSquares: every element of C has a place of its own, whole bands fill their places,
// and half of a band is half of the columns or rows.
func TestSquares(t *testing.T) {
	for _, c := range [][2]int64{{1, 1}, {127, 127}, {300, 300}, {1000, 1000}, {1500, 500}} {
		rows, edge := c[0], c[1]
		s := cut(rows, edge)
		seen := map[[2]int64]bool{}
		for i := range rows {
			for j := range edge {
				unit, offset := s.at(i, j)
				if unit < 0 || unit >= s.units() || offset < 0 || offset >= s.edge*s.edge || seen[[2]int64{unit, offset}] {
					t.Fatalf("%d x %d: C[%d][%d] is at %d of square %d", rows, edge, i, j, offset, unit)
				}
				seen[[2]int64{unit, offset}] = true
			}
		}
	}
	s := cut(4096, 4096)
	if s != (squares{16, 256, 1}) {
		t.Errorf("4096 rows are cut into %+v", s)
	}
	if unit, _ := s.at(2048, 0); unit != 128 {
		t.Errorf("the lower half begins with square %d", unit)
	}
}

func TestOtherSplitsBuild(t *testing.T) {
	for _, split := range []string{splitBlocks, splitK} {
		for _, n := range []int64{1, 7, 127, 128, 137, 256, 4096} {
			for _, count := range []int{1, 2, 3, 8} {
				for _, b := range []suites.Build{
					suitetest.Build(matmul{}, n, count), suitetest.Weak(matmul{}, min(n, 512), count),
					suitetest.Uneven(suitetest.Build(matmul{}, n, count)),
				} {
					b.Split = split
					p, err := matmul{}.Build(b)
					if err == nil {
						err = suitetest.Invariants(p, count)
					}
					if err != nil {
						t.Errorf("%s, n %d on %d (weak %v): %v", split, n, count, b.Weak, err)
					}
				}
			}
		}
		b := suitetest.Build(matmul{}, 1<<20, 1)
		b.Split = split
		if _, err := (matmul{}).Build(b); err == nil {
			t.Errorf("%s: a matrix of 4 TiB is built for bindings of 128 MiB", split)
		}
	}
}

// TestTransposed: any part of the source holds A_ik at element (k, i).
func TestTransposed(t *testing.T) {
	const rows, edge = 5, 7
	a := suites.Stream{Seed: 3, Workload: 4, Array: idA}
	for first := int64(0); first < rows*edge; first++ {
		part := make([]uint32, rows*edge-first)
		transposed(3, rows, edge, first, part)
		for n, w := range part {
			k, i := (first+int64(n))/rows, (first+int64(n))%rows
			if want := a.F32(i*edge+k, lo, hi); math.Float32frombits(w) != want {
				t.Fatalf("element (%d, %d) from %d is %v, expected %v", k, i, first, math.Float32frombits(w), want)
			}
		}
	}
}

// TestVerifyOtherSplits: the check reads C where each split keeps it.
func TestVerifyOtherSplits(t *testing.T) {
	const n = 150
	for _, split := range []string{splitBlocks, splitK} {
		for least := range int64(2) {
			b := suitetest.Build(matmul{}, n, 2)
			b.Split, b.Params["min"] = split, least
			p, err := matmul{}.Build(b)
			if err != nil {
				t.Fatal(err)
			}
			words := outputs(n, n, b.Seed, least == 1)
			if split == splitBlocks {
				s := cut(n, n)
				stored := make([]uint32, s.units()*s.edge*s.edge)
				for i := range int64(n) {
					for j := range int64(n) {
						unit, offset := s.at(i, j)
						stored[unit*s.edge*s.edge+offset] = words[i*n+j]
					}
				}
				words = stored
			}
			check := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: map[string][]uint32{"C": words}}}
			out, err := matmul{}.Verify(check)
			if err != nil || out.Wrong != "" || out.Checked != n*n {
				t.Fatalf("%s, min %d: %v, %+v", split, least, err, out)
			}
			words[17] ^= 1
			if out, err := (matmul{}).Verify(check); err != nil || out.Wrong == "" {
				t.Errorf("%s, min %d: one flipped bit passed: %v", split, least, err)
			}
		}
	}
}
