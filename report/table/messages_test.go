package table

import (
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// Rows of the family comm say S/t, and the largest size of a series the line through
// all of them.
func TestMessages(t *testing.T) {
	var rows []result.Summary
	for _, n := range []int64{1, 1 << 10, 1 << 20, 1 << 28} {
		seconds := 20e-6 + 4*float64(n)/100e9
		rows = append(rows, result.Summary{
			Key: result.Key{Workload: "comm/allreduce", Mode: "strong", Size: result.Size{N: n}}, Count: 4, Status: result.OK,
			Seconds: &result.Median{Median: seconds}, Rate: &result.Value{Value: 1.5 * 4 * float64(n) / seconds},
		})
	}
	d := Layout(&result.Result{}, rows, nil, nil)
	if len(d.Sections) != 4 {
		t.Fatalf("%d sections", len(d.Sections))
	}
	for i, want := range []string{"S/t: N=4 200 kB/s", "S/t: N=4 204 MB/s", "S/t: N=4 67.7 GB/s", "S/t: N=4 99.8 GB/s"} {
		if all := strings.Join(d.Sections[i].Laws, "\n"); !strings.Contains(all, want) || strings.Contains(all, "latency fit") != (i == 3) {
			t.Errorf("section %d: %q, want %q", i, all, want)
		}
	}
	last := d.Sections[3].Laws
	if got := last[len(last)-1]; got != "latency fit, N=4, 4 sizes from 4 B to 1 GiB: t = 20.0 µs + S/(100 GB/s), bus bandwidth 150 GB/s; times differ from it by at most 0 %" {
		t.Errorf("%q", got)
	}
}

// Rows of devices alone name the device.
func TestMessagesAlone(t *testing.T) {
	var rows []result.Summary
	for d := range 2 {
		rows = append(rows, result.Summary{
			Key: result.Key{Workload: "comm/p2p", Mode: "solo", Size: result.Size{N: 1}}, Count: 1, Teams: [][]int{{d}},
			Seconds: &result.Median{Median: 4e-6 * float64(1+d)}, Rate: &result.Value{Value: 1e6},
		})
	}
	want := "rates are bus bandwidths; algorithm bandwidth S/t: GPU 0 alone 1.00 MB/s, GPU 1 alone 500 kB/s"
	if got := algorithmBandwidth(rows); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
}
