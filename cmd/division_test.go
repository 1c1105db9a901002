package cmd

import (
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk"
)

// TestRatesOfRows: rows of one device bring the rates by which later launches are divided,
// once both are known; the first value stays, and few samples are none.
func TestRatesOfRows(t *testing.T) {
	m := &machine{adapters: []*vk.Adapter{vk.Absent(vk.Info{Type: "discrete"}), vk.Absent(vk.Info{Type: "integrated"})}}
	key := result.Key{Workload: "a/b", Mode: scale.Strong, Size: result.Size{N: 100}}
	team := scale.Cell{Key: key, Count: 2, Devices: []int{0, 1}, Total: 100}
	row := func(device int, times ...float64) {
		s := &session{machine: m, cell: scale.Cell{Key: key, Count: 1, Devices: []int{device}, Total: 100}, times: times}
		s.heard()
	}
	expect := func(basis string, rates ...float64) {
		t.Helper()
		devices, got := m.described(team, 1000)
		if got != basis {
			t.Errorf("basis %q, want %q", got, basis)
		}
		for i, d := range devices {
			if d.Rate != rates[i] || !(d.Score > 0) {
				t.Errorf("device %d: %+v, want a rate of %g", i, d, rates[i])
			}
		}
	}
	expect(fromScore, 0, 0)
	row(0, 9, 9, 2, 2, 2) // the second half counts
	expect(fromScore, 500, 0)
	row(1, 4, 4)
	expect(fromScore, 500, 0)
	row(1, 4, 4, 4)
	expect(fromRows, 500, 250)
	row(1, 8, 8, 8)
	expect(fromRows, 500, 250)
}
