package cmd

import (
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// TestSelected: what the origins' rules would choose of two cards, one of them with more
// memory and one in use, and of a device that nothing is known of.
func TestSelected(t *testing.T) {
	card := func(index int, matrix, memory float64, available bool, free int64, load float64) deviceJSON {
		d := deviceJSON{Device: result.Device{Index: index}, Status: "usable"}
		d.Score = scoreJSON{Score: 90, Load: &load, Free: free, Operations: &operationsJSON{Matrix: matrix, Memory: memory, Other: (matrix + memory) / 2, Available: available}}
		return d
	}
	devices := []deviceJSON{card(0, 60000, 3000, true, 20<<30, 0.5), card(1, 40000, 4000, true, 80<<30, 0.1), card(2, 90000, 9000, false, 80<<30, 0.95),
		{Device: result.Device{Index: 3, Software: true}, Status: "usable", Score: scoreJSON{Score: 22}}, {Device: result.Device{Index: 4}, Status: "failed"}}
	s := selected(devices)
	if s.Best == nil || *s.Best != 1 {
		t.Errorf("best %v", s.Best)
	}
	for i, want := range [][3]int{{0, 1, 0}, {0, 1, 0}, {1, 1, 1}} {
		o := s.Optimal[i]
		if o.Matrix == nil || o.Memory == nil || o.Other == nil || [3]int{*o.Matrix, *o.Memory, *o.Other} != want {
			t.Errorf("%d bytes: %+v, want %v", o.Bytes, o, want)
		}
	}
	if w := s.Worth[2]; w.Count != 3 || w.Route != "multi-gpu" {
		t.Errorf("%+v", w)
	}
	if s := selected(devices[3:]); *s.Best != 3 || s.Optimal[0].Matrix != nil || s.Worth[0].Route != "cpu" {
		t.Errorf("%+v", s)
	}
}
