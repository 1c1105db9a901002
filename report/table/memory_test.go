package table_test

import (
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/table"
)

func TestMemory(t *testing.T) {
	share := func(v float64) *float64 { return &v }
	for want, m := range map[string]result.Memory{
		"64 MiB":                              {Peak: 64 << 20},
		"8 GiB, 10.1 % of its budget":         {Peak: 8 << 30, Used: &result.Range{Least: .101, Most: .1011}},
		"8 GiB, 80.0 to 90.5 % of its budget": {Peak: 8 << 30, Used: &result.Range{Least: .8, Most: .905}},
		"4.1 GiB, 49 % less than with every array on every GPU": {Peak: 4402341478, Saved: share(.49)},
		"1 GiB": {Peak: 1 << 30, Saved: share(.001)},
	} {
		if got := table.Memory(&m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
