package stat

import (
	"fmt"
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// Limits of measurement.md 1.1.
const (
	notSteadyShare = 0.20 // of the launches
	dependence     = 0.3  // lag-1 autocorrelation
	gapFactor      = 3.0  // bimodality: largest gap over the median gap
	gapMass        = 0.2  // share on each side of it
	emptyShare     = 0.02 // of the wall time
	skewShare      = 0.01 // of the wall time
	outlierShare   = 0.05 // of the samples
)

// doubts are what must be known beside a row's numbers. Outliers and doubtful
// launches are named, never removed. mixed: teams of different models took turns.
func (c *cell) doubts(mixed bool) []result.Warning {
	var out []result.Warning
	warn := func(code, format string, args ...any) {
		out = append(out, result.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	restless, limited, left := 0, 0, len(c.trials)-len(c.launches)
	var empties, skews []float64
	var correlations, numbers []float64
	var outliers, samples int
	for _, l := range c.launches {
		t := l.trial
		if !t.Warmup.Steady && t.Warmup.Samples > 0 {
			restless++
		}
		if t.Stop == "max-samples" || t.Stop == "max-time" {
			limited++
		}
		correlations = append(correlations, lag1(l.times))
		numbers = append(numbers, float64(len(l.times)))
		sample := l.seconds * float64(max(t.Reps, 1)) // one gate opens a whole sample
		empties = append(empties, t.EmptyGate/sample)
		skews = append(skews, medianSkew(t)/sample)
		outliers += countOutliers(l.times)
		samples += len(l.times)
	}
	n := len(c.launches)
	if n > 0 && left > 0 {
		warn("launches-left-out", "%d of %d launches gave no time", left, len(c.trials))
	}
	if float64(restless) > notSteadyShare*float64(n) {
		warn("not-steady", "%d of %d launches did not reach a steady rate", restless, n)
	}
	if limited > 0 {
		warn("noise-limited", "%d of %d launches stopped before the precision asked for", limited, n)
	}
	// The median over launches: one of several short ones exceeds any limit by chance.
	if r := Median(correlations); r > dependence {
		effective := Median(numbers) * (1 - r) / (1 + r)
		warn("dependent-samples", "samples of a launch depend on each other (lag-1 correlation %.2f, effective number %.0f)", r, effective)
	}
	switch {
	case mixed:
		warn("mixed-devices", "devices of different models took turns: time and rate are of a mixture")
	case c.bimodal():
		warn("bimodal", "the launches fall into two groups")
	}
	if empty := Median(empties); empty > emptyShare {
		warn("launch-bound", "starting and waiting alone takes %.1f %% of the time: use a larger size", 100*empty)
	}
	if skew := Median(skews); skew > skewShare {
		warn("start-skew", "devices start apart by %.1f %% of the time", 100*skew)
	}
	if float64(outliers) > outlierShare*float64(samples) {
		warn("outliers", "%d of %d samples lie outside 1.5 interquartile ranges (kept)", outliers, samples)
	}
	out = append(out, c.doubtInvalid()...)
	return append(out, c.trialWarnings()...)
}

// trialWarnings are the trials' own, each text once, with how many trials say so.
func (c *cell) trialWarnings() []result.Warning {
	var out []result.Warning
	seen := map[result.Warning]int{}
	for _, t := range c.trials {
		for _, w := range t.Warnings {
			if seen[w]++; seen[w] == 1 {
				out = append(out, w)
			}
		}
	}
	for i, w := range out {
		if n := seen[w]; n > 1 {
			out[i].Text = fmt.Sprintf("%s (%d launches)", w.Text, n)
		}
	}
	return out
}

// lag1 is the lag-1 autocorrelation of samples in the order measured; 0 below 10.
func lag1(xs []float64) float64 {
	if len(xs) < 10 {
		return 0
	}
	m := mean(xs)
	var above, below float64
	for i, x := range xs {
		below += (x - m) * (x - m)
		if i > 0 {
			above += (x - m) * (xs[i-1] - m)
		}
	}
	if below == 0 {
		return 0
	}
	return above / below
}

func medianSkew(t *result.Trial) float64 {
	xs := make([]float64, 0, t.Times.Len())
	valid := t.Valid()
	for i, s := range t.Times.All() {
		if valid.Of(i) && s.Skew > 0 && !math.IsInf(s.Skew, 0) {
			xs = append(xs, s.Skew)
		}
	}
	if len(xs) == 0 {
		return 0
	}
	return Median(xs)
}

// countOutliers counts values beyond Tukey's mild fences; 0 below 20 values, where
// the fences themselves are noise.
func countOutliers(xs []float64) int {
	if len(xs) < 20 {
		return 0
	}
	s := sorted(xs)
	q1, q3 := quantileSorted(s, 0.25), quantileSorted(s, 0.75)
	reach := 1.5 * (q3 - q1)
	n := 0
	for _, x := range s {
		if x < q1-reach || x > q3+reach {
			n++
		}
	}
	return n
}

// bimodal tells whether the launch medians split in two (M16); it takes five
// launches to have gaps to compare.
func (c *cell) bimodal() bool {
	if len(c.launches) < 5 {
		return false
	}
	var xs, gaps []float64
	for _, l := range c.launches {
		xs = append(xs, l.seconds)
	}
	slices.Sort(xs)
	for i := 1; i < len(xs); i++ {
		gaps = append(gaps, xs[i]-xs[i-1])
	}
	widest := slices.Index(gaps, slices.Max(gaps))
	below := float64(widest+1) / float64(len(xs))
	typical := Median(gaps)
	// A split below 1 % is rounding, not two modes.
	return typical > 0 && gaps[widest] > gapFactor*typical && below >= gapMass && below <= 1-gapMass &&
		gaps[widest] > 0.01*xs[0]
}

// spread describes all samples of the row.
func (c *cell) spread() *result.Spread {
	samples := 0
	for _, l := range c.launches {
		samples += len(l.times)
	}
	all := make([]float64, 0, samples)
	for _, l := range c.launches {
		all = append(all, l.times...)
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	q := func(p float64) float64 { return quantileSorted(all, p) }
	s := &result.Spread{IQR: (q(0.75) - q(0.25)) / medianSorted(all), Min: all[0]}
	if len(all) >= 40 {
		p := q(0.95)
		s.P95 = &p
	}
	if len(all) >= 200 {
		p := q(0.99)
		s.P99 = &p
	}
	return s
}
