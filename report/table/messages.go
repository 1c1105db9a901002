package table

import (
	"fmt"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// algorithmBandwidth is the sentence under rows of the family comm, whose rates are
// bus bandwidths: S/t of every row.
func algorithmBandwidth(rows []result.Summary) []string {
	var parts []string
	for _, r := range rows {
		if m, ok := stat.MessageOf(r); ok {
			parts = append(parts, fmt.Sprintf("%s %s", rowName(r), Quantity(m.Algorithm(), "B/s")))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"rates are bus bandwidths; algorithm bandwidth S/t: " + strings.Join(parts, ", ")}
}

// addLatencies puts the lines t = a + S/b under the largest size of each series.
func addLatencies(sections []Section, summary []result.Summary) {
	for _, l := range stat.Latencies(summary) {
		text := fmt.Sprintf("latency fit, %s, %d sizes from %s to %s: t = %s + S/(%s)", rowName(l.Last), l.Sizes, Bytes(int64(l.Least)), Bytes(int64(l.Most)), start(l.Start), Quantity(l.Bandwidth, "B/s"))
		if l.Factor != 1 {
			text += fmt.Sprintf(", bus bandwidth %s", Quantity(l.Bandwidth*l.Factor, "B/s"))
		}
		text += fmt.Sprintf("; times differ from it by at most %.0f %%", 100*l.Worst)
		for i := range sections {
			if sections[i].Key == l.Last.Key {
				sections[i].Laws = append(sections[i].Laws, text)
			}
		}
	}
}

// start is a latency, which may be nothing.
func start(v float64) string {
	if v <= 0 {
		return "0"
	}
	return Seconds(v)
}
