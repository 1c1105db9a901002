package gate

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Identical code: at most 5 % of families of 100 rows raise any alarm, whatever the
// noise, and also when occasions differ by more than launches do. The threshold is the
// least that the gate admits, at which most alarms are raised.
//
// No more than most families of each kind may raise one. Were the true share 5 %, so
// few would have a chance below 5 %, so the bound shows with 95 % confidence
// that it is no more.
func TestFalseAlarmsOfAFamily(t *testing.T) {
	const rows, families = 100, 400
	most := mostAlarms(families)
	if most != 12 {
		t.Fatalf("%d", most)
	}
	for name, row := range map[string]func(r *rand.Rand, row int) test{
		"1 %":          launches(func(r *rand.Rand) []float64 { return draw(r, 7, 0, 0.01) }),
		"4 %":          launches(func(r *rand.Rand) []float64 { return draw(r, 7, 0, 0.04) }),
		"10 %":         launches(func(r *rand.Rand) []float64 { return draw(r, 7, 0, 0.1) }),
		"bimodal":      launches(func(r *rand.Rand) []float64 { return twoModes(r, 7, 0, 0.15) }),
		"heavy tails":  launches(heavyTails),
		"shared noise": sharedNoise(),
		"2 occasions":  occasions(2, 0.03),
		"5 occasions":  occasions(5, 0.03),
		"10 occasions": occasions(10, 0.03),
		"20 occasions": occasions(20, 0.1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			alarms := 0
			for range families {
				tests := []test{}
				for i := range rows {
					x := row(r, i)
					x.t = math.Log1p(2 * leastPhi)
					tests = append(tests, x)
				}
				for _, v := range verdicts(tests) {
					if v == Regressed {
						alarms++
						break
					}
				}
			}
			t.Logf("%d of %d families raise a false alarm", alarms, families)
			if alarms > most {
				t.Errorf("%d of %d families raise a false alarm, more than %d", alarms, families, most)
			}
		})
	}
}

// mostAlarms is how many of so many families may raise an alarm to show, with 95 %
// confidence, that no more than 5 % of all do.
func mostAlarms(families int) int {
	most := -1
	for b := (distuv.Binomial{N: float64(families), P: alpha}); b.CDF(float64(most+1)) < 0.05; {
		most++
	}
	return most
}

// launches is a comparison of two sides that differ by nothing.
func launches(side func(*rand.Rand) []float64) func(*rand.Rand, int) test {
	return func(r *rand.Rand, _ int) test { return compareLaunches(side(r), side(r), 1, leastPhi, alpha) }
}

// twoModes are launches around shift of which about every other is slower by gap.
func twoModes(r *rand.Rand, n int, shift, gap float64) []float64 {
	xs := draw(r, n, shift, 0.002)
	for i := range xs {
		if r.IntN(2) == 0 {
			xs[i] *= 1 + gap
		}
	}
	return xs
}

// heavyTails is Student's t with 2 degrees of freedom.
func heavyTails(r *rand.Rand) []float64 {
	xs := make([]float64, 7)
	for i := range xs {
		xs[i] = math.Exp(0.02 * r.NormFloat64() / math.Sqrt((math.Pow(r.NormFloat64(), 2)+math.Pow(r.NormFloat64(), 2))/2))
	}
	return xs
}

// sharedNoise has launches of which all rows of a block are slower or faster together.
func sharedNoise() func(*rand.Rand, int) test {
	var common [2][]float64
	return func(r *rand.Rand, row int) test {
		if row == 0 {
			common = [2][]float64{draw(r, 7, 0, 0.06), draw(r, 7, 0, 0.06)}
		}
		x, y := draw(r, 7, 0, 0.02), draw(r, 7, 0, 0.02)
		for i := range x {
			x[i], y[i] = x[i]*common[0][i], y[i]*common[1][i]
		}
		return compareLaunches(x, y, 1, leastPhi, alpha)
	}
}

// occasions is one more occasion against n that differ by between.
func occasions(n int, between float64) func(*rand.Rand, int) test {
	return func(r *rand.Rand, _ int) test {
		one := func() float64 { return math.Exp(between*r.NormFloat64() + 0.005*r.NormFloat64()) }
		base := make([]float64, n)
		for i := range base {
			base[i] = one()
		}
		return compareOccasions(base, one(), 0.005, 1, leastPhi, alpha)
	}
}
