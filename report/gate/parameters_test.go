package gate

import (
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// TestParametersOfTheRow: parameters of other workloads of a sweep make no row incomparable.
func TestParametersOfTheRow(t *testing.T) {
	row := &stat.Row{}
	row.Workload = "a/b"
	one := &side{res: &result.Result{Plan: result.Plan{Params: map[string]int64{"a/b:steps": 3, "all": 1}}}, row: row}
	more := &side{res: &result.Result{Plan: result.Plan{Params: map[string]int64{"a/b:steps": 3, "all": 1, "c/d:steps": 9, "a/bc:steps": 2}}}, row: row}
	other := &side{res: &result.Result{Plan: result.Plan{Params: map[string]int64{"a/b:steps": 4, "all": 1}}}, row: row}
	if one.parameters() != more.parameters() || one.parameters() == other.parameters() || one.parameters() == "" {
		t.Errorf("%q, %q, %q", one.parameters(), more.parameters(), other.parameters())
	}
}
