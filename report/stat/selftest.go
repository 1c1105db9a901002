package stat

import (
	"cmp"
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

// twin is a row measured twice over on the same devices: the launch medians of both
// sides, each in the order measured.
type twin struct{ a, b []float64 }

// SelfTest finds this machine's noise floor in a result that measured the same
// thing twice: the launches of a row on the same devices are of side A or B. Each
// gives one difference, Hodges-Lehmann on the logarithms of launch medians; if
// these are too few, random halves of the same launches give more. Phi is
// the 95 % quantile of their sizes, at least 1 %; Detectable adds the median half
// width of the intervals. nil with a warning if no row has launches enough.
func SelfTest(res *result.Result) (*result.Noise, []result.Warning) {
	var twins []twin
	few := 0
	wrong := compareDigests(res)
	for _, s := range group(res) {
		for _, c := range s.cells {
			s.judge(c, wrong)
			for _, x := range c.twins() {
				if min(len(x.a), len(x.b)) < perSide {
					few++
				} else {
					twins = append(twins, x)
				}
			}
		}
	}
	if len(twins) == 0 {
		return nil, []result.Warning{{Code: "self-test", Text: fmt.Sprintf("self-test: no row has %d launches on each side; use --launches 4 or more", perSide)}}
	}
	noise := &result.Noise{Launches: len(twins[0].a) + len(twins[0].b)}
	var sizes, halves []float64
	for _, x := range twins {
		noise.Launches = min(noise.Launches, len(x.a)+len(x.b))
		v, ok := Ratio(x.a, x.b)
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
			if v, ok := Ratio(twins[i%len(twins)].halve(r)); ok {
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
			Text: "self-test: too few launches for an interval, so the smallest detectable change is not known; use --launches 4 or more"})
	}
	if few > 0 {
		warnings = append(warnings, result.Warning{Code: "self-test-rows",
			Text: fmt.Sprintf("self-test: %d rows have too few launches and were left out", few)})
	}
	return noise, warnings
}

// twins are the launches of c by the devices they ran on: two cards are not the same
// thing twice. Launches without a side, of results that do not name any, are dealt in
// the order ABBA.
func (c *cell) twins() []twin {
	launches := slices.Clone(c.launches)
	slices.SortStableFunc(launches, func(a, b launch) int { return cmp.Compare(a.trial.Block, b.trial.Block) })
	var out []twin
	var teams [][]int
	for _, l := range launches {
		at := slices.IndexFunc(teams, func(d []int) bool { return slices.Equal(d, l.trial.Devices) })
		if at < 0 {
			at, teams, out = len(out), append(teams, l.trial.Devices), append(out, twin{})
		}
		x := &out[at]
		n := len(x.a) + len(x.b)
		if l.trial.Side == result.SideA || l.trial.Side == "" && (n%4 == 0 || n%4 == 3) {
			x.a = append(x.a, l.seconds)
		} else {
			x.b = append(x.b, l.seconds)
		}
	}
	return out
}

// halve splits the launch medians at random into two sides of equal size, or with
// one more on the second.
func (x twin) halve(r *rand.Rand) (a, b []float64) {
	xs := slices.Concat(x.a, x.b)
	r.Shuffle(len(xs), func(i, k int) { xs[i], xs[k] = xs[k], xs[i] })
	return xs[:len(xs)/2], xs[len(xs)/2:]
}
