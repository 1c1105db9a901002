package table_test

import (
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/table"
)

func TestPath(t *testing.T) {
	on := func(device int) *int { return &device }
	for want, p := range map[string]result.Path{
		"compute 84.1 % (GPU 1 80.0 %, GPU 0 4.1 %), transfer 9.0 % (GPU 0), host 6.9 %; bottleneck: compute of GPU 1, for which the others wait 31 % of the time": {
			Parts:      []result.PathPart{{Kind: "compute", Device: on(1), Share: .8}, {Kind: "transfer", Device: on(0), Share: .09}, {Kind: "host", Share: .069}, {Kind: "compute", Device: on(0), Share: .041}},
			Bottleneck: result.Bottleneck{Kind: "compute", Share: .841, Device: on(1), Waiting: .312}, Covered: 1},
		"host 60.0 %, compute 40.0 % (GPU 3 15.0 %, GPU 0 15.0 %, 1 more); bottleneck: host (of the first 12.5 % of a sample)": {
			Parts:      []result.PathPart{{Kind: "host", Share: .6}, {Kind: "compute", Device: on(3), Share: .15}, {Kind: "compute", Device: on(0), Share: .15}, {Kind: "compute", Device: on(7), Share: .1}, {Kind: "compute", Device: on(2), Share: 1e-5}},
			Bottleneck: result.Bottleneck{Kind: "host", Share: .6}, Covered: .125},
		"wait 100.0 %; bottleneck: wait": {Parts: []result.PathPart{{Kind: "wait", Share: 1}}, Bottleneck: result.Bottleneck{Kind: "wait", Share: 1}},
	} {
		if got := table.Path(&p); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
