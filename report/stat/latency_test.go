package stat

import (
	"math"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

func message(workload string, n int64, count int, seconds, factor float64) result.Summary {
	r := result.Summary{Key: result.Key{Workload: workload, Size: result.Size{N: n}}, Count: count}
	r.Seconds = &result.Median{Median: seconds}
	r.Rate = &result.Value{Value: factor * 4 * float64(n) / seconds}
	return r
}

// Times made of a = 20 us and b = 100 GB/s give these back.
func TestLatencies(t *testing.T) {
	var rows []result.Summary
	for n := int64(1); n <= 1<<28; n *= 4 {
		rows = append(rows, message("comm/allreduce", n, 4, 20e-6+4*float64(n)/100e9, 1.5), message("comm/allreduce", n, 2, 1e-6*float64(n), 1))
		rows = append(rows, message("memory/triad", n, 4, 1, 1))
	}
	got := Latencies(rows)
	if len(got) != 2 {
		t.Fatalf("%d series: %+v", len(got), got)
	}
	l := got[0]
	if l.Last.Count != 4 || l.Sizes != 15 || l.Least != 4 || l.Most != 1<<30 || l.Last.Size.N != 1<<28 {
		t.Errorf("%+v", l)
	}
	for _, c := range [][2]float64{{l.Start, 20e-6}, {l.Bandwidth, 100e9}, {l.Factor, 1.5}, {got[1].Start, 0}, {got[1].Bandwidth, 4e6}} {
		if math.Abs(c[0]-c[1]) > 1e-6*c[1]+1e-12 {
			t.Errorf("%v, want %v", c[0], c[1])
		}
	}
	if l.Worst > 1e-6 {
		t.Errorf("deviation %v of times on the line", l.Worst)
	}
}

// Devices that ran alone have a line each.
func TestLatenciesAlone(t *testing.T) {
	var rows []result.Summary
	for n := int64(1); n <= 1<<20; n *= 4 {
		for d := range 2 {
			r := message("comm/allreduce", n, 1, float64(1+d)*1e-6+4*float64(n)/100e9, 1)
			r.Mode, r.Teams = "solo", [][]int{{d}}
			rows = append(rows, r)
		}
	}
	got := Latencies(rows)
	if len(got) != 2 {
		t.Fatalf("%d lines: %+v", len(got), got)
	}
	for d, l := range got {
		if l.Sizes != 11 || l.Last.Teams[0][0] != d || math.Abs(l.Start-float64(1+d)*1e-6) > 1e-12 {
			t.Errorf("device %d: %+v", d, l)
		}
	}
}

func TestNoLatency(t *testing.T) {
	flat := []result.Summary{message("comm/p2p", 1, 2, 3e-6, 1), message("comm/p2p", 4, 2, 2e-6, 1), message("comm/p2p", 16, 2, 1e-6, 1)}
	failed := message("comm/p2p", 64, 2, 1e-6, 1)
	failed.Rate = nil
	for name, rows := range map[string][]result.Summary{"two sizes": flat[:2], "falling": flat, "one without a rate": append(flat[:2:2], failed)} {
		if got := Latencies(rows); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, ok := MessageOf(message("memory/triad", 1, 1, 1, 1)); ok {
		t.Error("a triad is no message")
	}
}
