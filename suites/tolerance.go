package suites

import (
	"fmt"
	"math"
	"slices"
)

// U is the unit roundoff of float32, 2^-24.
const U = 0x1p-24

// E1 is the rigorous forward bound (n+8)*u*s of a float32 sum: n the longest chain of
// sequential additions, s the sum of the terms' magnitudes. It holds with and without
// fused multiply-add.
func E1(n, s float64) float64 { return (n + 8) * U * s }

// E1Double is E1 of a float64 sum, with the unit roundoff 2^-53.
func E1Double(n, s float64) float64 { return (n + 8) * 0x1p-53 * s }

// E2 is E1 plus an allowance for special functions, in units of u times scale.
func E2(n, s, units, scale float64) float64 { return E1(n, s) + units*U*scale }

// Tally gathers the comparisons of one check. The zero value is empty; parts made in
// order of the output index are joined with Add.
type Tally struct {
	Checked int64
	Worst   float64 // largest error as a fraction of its bound
	Wrong   string  // the first wrong output in words
}

// Bits compares one output word exactly (E0).
func (t *Tally) Bits(array string, i int64, got, want uint32) {
	t.Checked++
	if got != want {
		t.wrong("%s[%d] is 0x%08x, expected 0x%08x (exact)", array, i, got, want)
	}
}

// Float compares one float32 output bit for bit (E0); two NaNs are equal.
func (t *Tally) Float(array string, i int64, got uint32, want float32) {
	t.Checked++
	g := math.Float32frombits(got)
	if got == math.Float32bits(want) || g != g && want != want {
		return
	}
	t.wrong("%s[%d] is %v (0x%08x), expected %v (0x%08x) (exact)",
		array, i, g, got, want, math.Float32bits(want))
}

// Near compares one float32 output with a reference within an absolute bound (E1 to
// E3). A NaN is wrong unless the reference is one too.
func (t *Tally) Near(array string, i int64, got uint32, want, bound float64) {
	t.near(array, i, float64(math.Float32frombits(got)), want, bound)
}

// Double compares one float64 output, given as its two words, within an absolute bound.
func (t *Tally) Double(array string, i int64, low, high uint32, want, bound float64) {
	t.near(array, i, math.Float64frombits(uint64(high)<<32|uint64(low)), want, bound)
}

func (t *Tally) near(array string, i int64, g, want, bound float64) {
	t.Checked++
	if g == want || g != g && want != want {
		return
	}
	diff := math.Abs(g - want)
	if diff <= bound { // false for NaN
		if part := diff / bound; part > t.Worst { // false for NaN: an infinite error within an infinite bound
			t.Worst = part
		}
		return
	}
	ratio := diff / bound
	if !(ratio <= math.MaxFloat64) { // NaN, infinite, or no bound: a file holds finite numbers only
		ratio = math.MaxFloat64
	}
	t.Worst = max(t.Worst, ratio)
	t.wrong("%s[%d] is %.9g, expected %.9g within %.3g (off by %.3g)", array, i, g, want, bound, diff)
}

// Identity notes whether an algebraic self-check holds at unit i: two sides that agree
// within bound. It is not counted as an output. Sides and bounds may be made of outputs: what
// is infinite or no number agrees with nothing.
func (t *Tally) Identity(law string, i int64, left, right, bound float64) {
	if diff := math.Abs(left - right); !(diff <= bound && diff <= math.MaxFloat64) {
		t.wrong("%s fails at unit %d: %.9g against %.9g within %.3g", law, i, left, right, bound)
	}
}

func (t *Tally) wrong(format string, args ...any) {
	if t.Wrong == "" {
		t.Wrong = fmt.Sprintf(format, args...)
	}
}

// Add joins the tally of later outputs.
func (t *Tally) Add(o Tally) {
	t.Checked += o.Checked
	t.Worst = max(t.Worst, o.Worst)
	if t.Wrong == "" {
		t.Wrong = o.Wrong
	}
}

// Outcome turns the tally into the result of a check.
func (t Tally) Outcome(class, selfCheck string) Outcome {
	return Outcome{Class: class, Checked: t.Checked, Worst: t.Worst, SelfCheck: selfCheck, Wrong: t.Wrong}
}

// sampleArray is the Philox array id of sample positions, apart from every input's.
const sampleArray = 0xFFFF0000

// SampleIndices returns k distinct Philox-chosen positions in [0,n), ascending; all of
// them when n <= k. salt tells the samples of one workload apart.
func SampleIndices(seed uint64, workload, salt uint32, n int64, k int) []int64 {
	if n <= int64(k) {
		all := make([]int64, max(n, 0))
		for i := range all {
			all[i] = int64(i)
		}
		return all
	}
	stream := Stream{Seed: seed, Workload: workload, Array: sampleArray + salt}
	seen := make(map[int64]bool, k)
	out := make([]int64, 0, k)
	for i := int64(0); len(out) < k; i += 2 {
		word := uint64(stream.Word(i))<<32 | uint64(stream.Word(i+1))
		at := int64(word % uint64(n))
		if !seen[at] {
			seen[at] = true
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return out
}
