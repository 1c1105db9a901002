package stat

import (
	"math/rand/v2"
	"testing"
)

// TestDecisionOf: order statistics of 1,000 calls, and none where there are too few.
func TestDecisionOf(t *testing.T) {
	times := make([]float64, 1000)
	for i, k := range rand.New(rand.NewPCG(1, 2)).Perm(1000) {
		times[i] = float64(k + 1)
	}
	d := DecisionOf(times)
	if d.Calls != 1000 || d.Median != 500.5 || d.P99 < 990 || d.P99 > 991 {
		t.Fatalf("%+v", d)
	}
	// B ~ Binomial(1000, .99): P(B < 984) = 0.0253 and P(B < 983) = 0.0131; P(B >= 997) = 0.0101, P(B >= 996) = 0.0287.
	if *d.Low != 983 || *d.High != 997 {
		t.Errorf("ranks %g and %g", *d.Low, *d.High)
	}
	if d := DecisionOf(times[:367]); d.High != nil {
		t.Errorf("367 calls: %+v", d)
	}
	if d := DecisionOf(times[:368]); d.High == nil {
		t.Error("368 calls have no interval")
	}
	if DecisionOf(nil) != nil {
		t.Error("a decision without calls")
	}
}

// TestCoverageOfP99: the interval holds the true quantile in 95 % of cases.
func TestCoverageOfP99(t *testing.T) {
	const runs = 2000
	r := rand.New(rand.NewPCG(29, 1))
	hits := 0
	for range runs {
		times := make([]float64, 1000)
		for i := range times {
			times[i] = r.Float64()
		}
		if d := DecisionOf(times); *d.Low <= .99 && .99 <= *d.High {
			hits++
		}
	}
	if share := float64(hits) / runs; share < .94 || share > .985 {
		t.Errorf("covers %.3f", share)
	}
}
