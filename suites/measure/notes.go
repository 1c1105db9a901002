package measure

import (
	"fmt"
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// notes lists the doubts about a launch. No sample is ever dropped for them.
func notes(run Run, emptyGate float64) []result.Warning {
	var out []result.Warning
	add := func(code, format string, args ...any) {
		out = append(out, result.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	n := len(run.Samples)
	if n == 0 {
		return nil
	}
	length := stat.Median(run.Samples) * float64(run.Reps)

	if run.Stop == StopMaxSamples || run.Stop == StopMaxTime {
		add("noise_limited", "stopped by %s after %d samples before the median was known to the precision asked for", run.Stop, n)
	}
	if mild, severe := Outliers(run.Samples); severe > 0 {
		add("outliers", "%d mild and %d severe outliers (1.5 and 3 interquartile ranges) in %d samples, all kept", mild, severe, n)
	}
	if r1 := Lag1(run.Samples); n >= 10 && r1 > 0.3 { // M15
		add("autocorrelated", "lag-1 autocorrelation %.2f: %d samples are worth %.0f", r1, n, float64(n)*(1-r1)/(1+r1))
	}
	if len(run.Times) > 0 { // M21
		skew := make([]float64, len(run.Times))
		for i, t := range run.Times {
			skew[i] = t.Skew
		}
		if s := stat.Median(skew); s > 0.01*length {
			add("start_skew", "devices start %.3g s apart, %.1f %% of a sample", s, 100*s/length)
		}
	}
	if emptyGate > 0.02*length { // M22
		add("launch_bound", "an empty step takes %.3g s, %.1f %% of a sample", emptyGate, 100*emptyGate/length)
	}
	return out
}

// Outliers counts Tukey's mild (beyond 1.5 interquartile ranges) and severe
// (beyond 3) outliers (M12).
func Outliers(samples []float64) (mild, severe int) {
	if len(samples) < 4 {
		return 0, 0
	}
	s := slices.Sorted(slices.Values(samples))
	q1, q3 := quantile(s, 0.25), quantile(s, 0.75)
	for _, x := range s {
		switch d := max(q1-x, x-q3); {
		case d > 3*(q3-q1):
			severe++
		case d > 1.5*(q3-q1):
			mild++
		}
	}
	return mild, severe
}

// Lag1 is the lag-1 autocorrelation of the samples in the order taken (M15);
// 0 when it is not defined.
func Lag1(samples []float64) float64 {
	n := len(samples)
	if n < 3 {
		return 0
	}
	var mean, num, den float64
	for _, x := range samples {
		mean += x / float64(n)
	}
	for i, x := range samples {
		den += (x - mean) * (x - mean)
		if i > 0 {
			num += (x - mean) * (samples[i-1] - mean)
		}
	}
	if den == 0 {
		return 0
	}
	return num / den
}

// Bimodal tells whether launch medians fall into two groups (M16): the largest
// gap between neighbours is above 3 median gaps and at least a fifth of the
// launches lie on each side of it.
func Bimodal(medians []float64) bool {
	if len(medians) < 4 {
		return false
	}
	s := slices.Sorted(slices.Values(medians))
	gaps := make([]float64, len(s)-1)
	for i := range gaps {
		gaps[i] = s[i+1] - s[i]
	}
	widest := slices.Max(gaps)
	below := float64(slices.Index(gaps, widest)+1) / float64(len(s))
	return widest > 3*stat.Median(gaps) && math.Min(below, 1-below) >= 0.2
}
