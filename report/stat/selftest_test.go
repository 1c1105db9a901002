package stat

import (
	"math"
	"testing"
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

// TestSelfTestFindsADifference: odd launches that are 10 % slower are noise here.
func TestSelfTestFindsADifference(t *testing.T) {
	b := same(.001, 8, 1, 2)
	for i := range b.res.Trials {
		if b.res.Trials[i].Launch%2 == 1 {
			scale(b.res.Trials[i].Samples, 1.1)
		}
	}
	n, warnings := SelfTest(b.res)
	if n.Comparisons != 10 || !hasCode(warnings, "self-test-splits") || math.Abs(n.Q95-math.Log(1.1)) > .01 {
		t.Errorf("%+v %v", n, warnings)
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
