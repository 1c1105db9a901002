package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

const (
	leastNoise  = 0.01 // Phi is never less: measurement.md 4.1
	comparisons = 10   // A/A differences that Phi needs at least
	perSide     = 2    // launches of a row on each side
	splitSeed   = 0x6e6f697365
)

// SelfTest finds this machine's noise floor in a result that measured the same
// thing twice: launches with an even number are A, those with an odd one B. Each
// row gives one difference, Hodges-Lehmann on the logarithms of launch medians; if
// these are too few, random halves of the launches of each row give more. Phi is
// the 95 % quantile of their sizes, at least 1 %; Detectable adds the median half
// width of the intervals. nil with a warning if no row has launches enough.
func SelfTest(res *result.Result) (*result.Noise, []result.Warning) {
	var rows []*cell
	few := 0
	wrong := compareDigests(res)
	for _, s := range group(res) {
		for _, c := range s.cells {
			c.judge(wrong, res.Devices)
			a, b := c.alternate()
			switch {
			case len(c.launches) == 0:
			case min(len(a), len(b)) < perSide:
				few++
			default:
				rows = append(rows, c)
			}
		}
	}
	if len(rows) == 0 {
		return nil, []result.Warning{{Code: "self-test", Text: fmt.Sprintf("self-test: no row has %d launches on each side; use --launches 8", perSide)}}
	}
	noise := &result.Noise{Launches: len(rows[0].launches)}
	var sizes, halves []float64
	for _, c := range rows {
		noise.Launches = min(noise.Launches, len(c.launches))
		a, b := c.alternate()
		v, ok := Ratio(a, b)
		if !ok {
			continue
		}
		sizes = append(sizes, math.Abs(math.Log(v.Value)))
		if v.Low != nil && v.High != nil {
			halves = append(halves, math.Log(*v.High / *v.Low)/2)
		}
	}
	var warnings []result.Warning
	if own := len(sizes); own < comparisons {
		warnings = append(warnings, result.Warning{Code: "self-test-splits",
			Text: fmt.Sprintf("self-test: %d of %d comparisons are random halves of the same launches; measure more rows for independent ones", comparisons-own, comparisons)})
		r := rand.New(rand.NewPCG(splitSeed, res.Plan.Seed))
		for i := 0; len(sizes) < comparisons; i++ {
			if v, ok := Ratio(rows[i%len(rows)].halve(r)); ok {
				sizes = append(sizes, math.Abs(math.Log(v.Value)))
			}
		}
	}
	slices.Sort(sizes)
	noise.Comparisons = len(sizes)
	noise.Q95 = quantileSorted(sizes, level)
	noise.Phi = max(leastNoise, noise.Q95)
	if len(halves) > 0 {
		noise.Detectable = noise.Phi + Median(halves)
	} else {
		warnings = append(warnings, result.Warning{Code: "self-test-launches",
			Text: "self-test: too few launches for an interval, so the smallest detectable change is not known; use --launches 8"})
	}
	if few > 0 {
		warnings = append(warnings, result.Warning{Code: "self-test-rows",
			Text: fmt.Sprintf("self-test: %d rows have too few launches and were left out", few)})
	}
	return noise, warnings
}

// alternate gives the launch medians of even and of odd launches.
func (c *cell) alternate() (even, odd []float64) {
	for _, l := range c.launches {
		if l.trial.Launch%2 == 0 {
			even = append(even, l.seconds)
		} else {
			odd = append(odd, l.seconds)
		}
	}
	return even, odd
}

// halve splits the launch medians at random into two sides of equal size, or with
// one more on the second.
func (c *cell) halve(r *rand.Rand) (a, b []float64) {
	xs := make([]float64, len(c.launches))
	for i, l := range c.launches {
		xs[i] = l.seconds
	}
	r.Shuffle(len(xs), func(i, k int) { xs[i], xs[k] = xs[k], xs[i] })
	return xs[:len(xs)/2], xs[len(xs)/2:]
}
