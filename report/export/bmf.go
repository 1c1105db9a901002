package export

import (
	"encoding/json"
	"io"

	"github.com/amgpu/amgpu/report/result"
)

// longestBenchmark is the most bytes that Bencher takes as a benchmark's name.
const longestBenchmark = 1024

// metric is one measure of a benchmark with its 95 % interval.
type metric struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"lower_value,omitempty"`
	High  *float64 `json:"upper_value,omitempty"`
}

// BMF writes Bencher Metric Format: per row the built-in measures latency, in
// nanoseconds as Bencher defines it, and throughput, in units of work per second,
// and the own ones speedup and efficiency. Rows without a rate are left out, and bounds that
// no verdict may rest on: Bencher decides by bounds.
func BMF(w io.Writer, summary []result.Summary) error {
	all := map[string]map[string]metric{}
	for i := range summary {
		r := &summary[i]
		m := map[string]metric{}
		if s := r.Seconds; s != nil {
			m["latency"] = metric{nano(s.Median), nanos(s.Low), nanos(s.High)}
		}
		for name, v := range map[string]*result.Value{"throughput": r.Rate, "speedup": r.Speedup, "efficiency": r.Efficiency} {
			if v != nil {
				low, high := v.Firm()
				m[name] = metric{v.Value, low, high}
			}
		}
		if len(m) > 0 {
			all[shorten(rowName(r), longestBenchmark)] = m
		}
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(all)
}

func nano(seconds float64) float64 { return seconds * 1e9 }

func nanos(seconds *float64) *float64 {
	if seconds == nil {
		return nil
	}
	v := nano(*seconds)
	return &v
}
