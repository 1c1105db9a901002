package stat

import (
	"math"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// same makes rows that measure one thing over and over.
func same(noise float64, launches int, counts ...int) *bench {
	b := newBench("default", make([]float64, 16)...)
	b.noise = noise
	for launch := range launches {
		for _, n := range counts {
			b.add("strong", launch, 1/float64(n), 1000, devicesOf(n)...).Launch = launch
		}
	}
	return b
}

func TestSelfTest(t *testing.T) {
	n, warnings := SelfTest(same(.003, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12).res)
	if n == nil || n.Phi != .01 || n.Comparisons != 12 || n.Launches != 10 || len(warnings) > 0 {
		t.Fatalf("%+v %v", n, warnings)
	}
	// Launches of sd s differ by s sqrt(2/5); the interval at 5 + 5 is about 2.3 of that.
	if !(n.Q95 > .001 && n.Q95 < .006) || !(n.Detectable > n.Phi && n.Detectable < .02) {
		t.Errorf("%+v", n)
	}
	loud, _ := SelfTest(same(.03, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12).res)
	if !(loud.Phi == loud.Q95 && loud.Phi > .02 && loud.Detectable > 1.5*loud.Phi) {
		t.Errorf("%+v", loud)
	}
	again, _ := SelfTest(same(.03, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12).res)
	if *again != *loud {
		t.Error("not reproducible")
	}
}

// TestSelfTestFindsADifference: launches of one side that are 10 % slower are noise
// here.
func TestSelfTestFindsADifference(t *testing.T) {
	b := same(.001, 8, 1, 2)
	for i := range b.res.Trials {
		if k := b.res.Trials[i].Launch % 4; k == 1 || k == 2 { // ABBA
			scale(b.res.Trials[i].Samples, 1.1)
		}
	}
	n, warnings := SelfTest(b.res)
	if n.Comparisons != 10 || !hasCode(warnings, "self-test-splits") || math.Abs(n.Q95-math.Log(1.1)) > .01 {
		t.Errorf("%+v %v", n, warnings)
	}
}

// TestSelfTestComparesLikeWithLike: devices of different speed and a machine that
// slows down steadily are no noise between two measurements of the same thing.
func TestSelfTestComparesLikeWithLike(t *testing.T) {
	b := newBench("default", 1, 1)
	b.noise = .0005
	for block := range 8 {
		for device := range 2 { // launch 0, 2, 4 on one, 1, 3, 5 on the other
			tr := b.add("strong", block, 1+.5*float64(device), 1000, device)
			tr.Launch = 2*block + device
			scale(tr.Samples, 1+.002*float64(block))
		}
	}
	n, _ := SelfTest(b.res)
	if n == nil || n.Launches != 8 || n.Q95 > .02 {
		t.Errorf("%+v", n)
	}
	even := &cell{}
	for i := range 8 {
		even.launches = append(even.launches, launch{trial: &result.Trial{Block: i}, seconds: float64(i)})
	}
	if x := even.twins()[0]; mean(x.a) != mean(x.b) || len(x.a) != len(x.b) {
		t.Errorf("%v against %v", x.a, x.b)
	}
}

// TestSelfTestSides: named sides are compared as they are named, whatever the order;
// and pairs for the efficiency stay within their side, so that a block counts twice.
func TestSelfTestSides(t *testing.T) {
	b := newBench("default", 1, 1)
	b.noise = .0005
	for block := range 7 {
		for k, side := range []string{result.SideA, result.SideB} {
			for n := 1; n <= 2; n++ {
				tr := b.add("strong", block, 1/float64(n), 1000, devicesOf(n)...)
				tr.Side, tr.Launch = side, 2*block+k
				if side == result.SideB {
					scale(tr.Samples, 1.1)
				}
			}
		}
	}
	n, _ := SelfTest(b.res)
	if n == nil || n.Launches != 14 || math.Abs(n.Q95-math.Log(1.1)) > .002 {
		t.Errorf("%+v", n)
	}
	e := b.row(t, "strong", 2).Efficiency
	within(t, "efficiency", e, 1, .002)
	if *e.High-*e.Low > .004 {
		t.Errorf("sides are mixed: [%g, %g]", *e.Low, *e.High)
	}
}

func TestSelfTestTooFew(t *testing.T) {
	if n, w := SelfTest(same(.003, 3, 1, 2).res); n != nil || !hasCode(w, "self-test") {
		t.Errorf("%+v %v", n, w)
	}
	n, w := SelfTest(same(.003, 6, 1, 2).res) // 3 + 3: no interval
	if n == nil || n.Detectable != 0 || !hasCode(w, "self-test-launches") {
		t.Errorf("%+v %v", n, w)
	}
	b := same(.003, 8, 1, 2)
	b.add("strong", 0, 1, 1000, 0, 1, 2)
	if n, w := SelfTest(b.res); n == nil || !hasCode(w, "self-test-rows") {
		t.Errorf("%+v %v", n, w)
	}
	b = same(.003, 8, 1)
	b.res.Trials[2].Status = "wrong-result"
	if n, _ := SelfTest(b.res); n != nil {
		t.Errorf("a wrong row has noise: %+v", n)
	}
}
