package suites

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites/program"
)

func TestTallyNear(t *testing.T) {
	f := func(x float64) uint32 { return math.Float32bits(float32(x)) }
	var y Tally
	y.Near("c", 0, f(1.5), 1, 1)
	if y.Wrong != "" || y.Worst != 0.5 || y.Checked != 1 {
		t.Errorf("half the bound: %+v", y)
	}
	y.Near("c", 7, f(3), 1, 1)
	if !strings.HasPrefix(y.Wrong, "c[7] is 3, expected 1") || y.Worst != 2 {
		t.Errorf("twice the bound: %+v", y)
	}
	y.Near("c", 8, f(9), 1, 1)
	if !strings.HasPrefix(y.Wrong, "c[7]") || y.Checked != 3 {
		t.Errorf("the first wrong output is not kept: %+v", y)
	}
	for _, nan := range []float64{math.NaN(), math.Inf(1)} {
		var z Tally
		if z.Near("c", 0, f(nan), 1, 1e30); z.Wrong == "" {
			t.Errorf("%v passes", nan)
		}
	}
	var endless Tally // what may overflow: a file of results holds no NaN
	if endless.Near("c", 0, f(math.Inf(1)), 1, math.Inf(1)); endless.Wrong != "" || endless.Worst != 0 {
		t.Errorf("an infinite error within an infinite bound: %+v", endless)
	}
	var exact Tally
	if exact.Near("c", 0, f(2), 2, 0); exact.Wrong != "" {
		t.Errorf("equality within a bound of 0: %+v", exact)
	}
}

func TestIdentityOfWhatIsNoNumber(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range [][3]float64{{1, 3, 1}, {nan, 1, 1}, {1, 1, nan}, {inf, 1, inf}, {inf, inf, inf}, {1, 2, nan}} {
		var y Tally
		if y.Identity("law", 4, c[0], c[1], c[2]); !strings.HasPrefix(y.Wrong, "law fails at unit 4") {
			t.Errorf("%v: %q", c, y.Wrong)
		}
	}
	var y Tally
	y.Identity("law", 4, 1, 1, 0)
	y.Identity("law", 4, 1, 2, 1)
	if y.Wrong != "" || y.Checked != 0 {
		t.Errorf("laws that hold: %+v", y)
	}
}

func TestTallyExact(t *testing.T) {
	var y Tally
	y.Bits("h", 0, 5, 5)
	y.Float("c", 1, math.Float32bits(float32(math.NaN())), float32(math.NaN()))
	if y.Wrong != "" {
		t.Errorf("equal outputs: %+v", y)
	}
	y.Float("c", 2, 1<<31, 0)
	if !strings.HasPrefix(y.Wrong, "c[2]") {
		t.Errorf("-0 for +0: %+v", y)
	}
}

func TestE1HoldsForASum(t *testing.T) {
	s := Stream{Seed: 3}
	var sum float32
	var ref, mag float64
	for i := range int64(5000) {
		x := s.F32(i, -1, 1)
		sum += x
		ref += float64(x)
		mag += math.Abs(float64(x))
	}
	if diff := math.Abs(float64(sum) - ref); diff == 0 || diff > E1(5000, mag) {
		t.Errorf("off by %g, bound %g", diff, E1(5000, mag))
	}
	if E2(8, 1, 4, 2) != E1(8, 1)+8*U {
		t.Error("E2 is not E1 plus the allowance")
	}
}

func TestSampleIndices(t *testing.T) {
	if MinSampled < 1024 { // the least that every launch of every size must compare
		t.Errorf("checks compare %d outputs", MinSampled)
	}
	a := SampleIndices(42, 1, 0, 1<<40, 1024)
	if len(a) != 1024 || !slices.IsSorted(a) || len(slices.Compact(slices.Clone(a))) != 1024 || a[0] < 0 || a[1023] >= 1<<40 {
		t.Errorf("%d samples from %d to %d", len(a), a[0], a[len(a)-1])
	}
	if !slices.Equal(a, SampleIndices(42, 1, 0, 1<<40, 1024)) {
		t.Error("samples differ between calls")
	}
	if slices.Equal(a, SampleIndices(42, 1, 1, 1<<40, 1024)) {
		t.Error("the salt is ignored")
	}
	if got := SampleIndices(42, 1, 0, 3, 10); !slices.Equal(got, []int64{0, 1, 2}) {
		t.Errorf("all of three: %v", got)
	}
	if got := SampleIndices(42, 1, 0, 0, 10); len(got) != 0 {
		t.Errorf("none of none: %v", got)
	}
}

func TestSpreadKeepsTheOrder(t *testing.T) {
	got := Spread(1000, func(lo, hi int64, t *Tally) {
		for i := lo; i < hi; i++ {
			t.Bits("x", i, uint32(i)/500, 0)
		}
	})
	if got.Checked != 1000 || !strings.HasPrefix(got.Wrong, "x[500]") {
		t.Errorf("%+v", got)
	}
	if got := Spread(0, nil); got.Checked != 0 {
		t.Errorf("nothing: %+v", got)
	}
}

// counting is a Reader of words that equal their index.
type counting struct{ fail bool }

func (c counting) Words(_ string, first, n int64) ([]uint32, error) {
	if c.fail {
		return nil, errors.New("device lost")
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(first + int64(i))
	}
	return out, nil
}

func (c counting) LocalWords(array string, _ int, first, n int64) ([]uint32, error) {
	return c.Words(array, first, n)
}

func TestEachUnit(t *testing.T) {
	const units = 3 << 20 // more than one block
	p := &program.Program{
		Units:  units,
		Shares: []program.Share{{Lo: 0, Hi: 777}, {Lo: 777, Hi: 777}, {Lo: 777, Hi: units}},
		Arrays: []program.Array{{Name: "c", Units: units, Stride: 3}},
	}
	for _, full := range []bool{true, false} {
		c := &Check{Build: Build{Seed: 1}, Program: p, Full: full, Out: counting{}}
		var wrong string
		got, err := c.EachUnit("c", units, func(u int64, words []uint32, t *Tally) {
			for j, w := range words {
				t.Bits("c", 3*u+int64(j), w, uint32(3*u+int64(j)))
			}
			if u == 776 { // the end of a share
				t.Bits("c", u, 1, 0)
			}
		})
		wrong = got.Wrong
		if err != nil || !strings.HasPrefix(wrong, "c[776]") || got.Checked < MinSampled || full && got.Checked != 3*units+1 {
			t.Errorf("full %v: %+v, %v", full, got, err)
		}
		c.Out = counting{fail: true}
		if _, err := c.EachUnit("c", units, nil); err == nil {
			t.Errorf("full %v: a failed read is no error", full)
		}
		if _, err := c.EachUnit("d", units, nil); err == nil {
			t.Errorf("full %v: an unknown array is no error", full)
		}
	}
}

// What a tally says of a wrong output goes into a file of finite numbers.
func TestWorstIsFinite(t *testing.T) {
	for _, c := range []struct {
		got         float32
		want, bound float64
	}{{float32(math.NaN()), 1, 1e-3}, {float32(math.Inf(1)), 1, 1e-3}, {2, 1, 0}} {
		var tally Tally
		tally.Near("x", 0, math.Float32bits(c.got), c.want, c.bound)
		if math.IsInf(tally.Worst, 0) || math.IsNaN(tally.Worst) || tally.Worst <= 1 {
			t.Errorf("%v against %v within %v: worst %v", c.got, c.want, c.bound, tally.Worst)
		}
	}
}
