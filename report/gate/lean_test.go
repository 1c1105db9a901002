package gate

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// twice reads a result with the times of devices and without.
func twice(t *testing.T, path string) (full, lean *result.Result) {
	t.Helper()
	full, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if lean, err = result.ReadSamples(path); err != nil {
		t.Fatal(err)
	}
	return full, lean
}

func fixtures(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../testdata/*.json")
	if err != nil || len(paths) < 5 {
		t.Fatal(paths, err)
	}
	return paths
}

// A comparison is the same without the times of devices, in all that is written of it,
// and so is a history.
func TestComparisonsTakeSamplesAlone(t *testing.T) {
	for _, path := range fixtures(t) {
		full, lean := twice(t, path)
		var text [2][]byte
		for i, res := range []*result.Result{full, lean} {
			r := run(t, one(res), res, Options{Rules: rules(t, "metrics: [time, efficiency]")})
			raw, err := Render(r, "json")
			if err != nil {
				t.Fatal(err)
			}
			h, err := Trace([]*result.Result{res}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			over, err := RenderHistory(h, "json")
			if err != nil {
				t.Fatal(err)
			}
			text[i] = append(raw, over...)
		}
		if !bytes.Equal(text[0], text[1]) {
			t.Errorf("%s: %s", path, cmp.Diff(string(text[0]), string(text[1])))
		}
	}
}

// What a limit looks at decides how the result is read: every value that differs without
// the times of devices is one that asks for them.
func TestLimitsOnDeviceTimes(t *testing.T) {
	differs := map[string]bool{}
	for _, path := range fixtures(t) {
		full, lean := twice(t, path)
		a, b := stat.Rows(full), stat.Rows(lean)
		for i := range a {
			for name, value := range measures {
				if !cmp.Equal(value(&side{full, &a[i]}), value(&side{lean, &b[i]})) {
					differs[name] = true
				}
			}
		}
	}
	for name := range measures {
		asks := rules(t, "rows: [{workload: a/b, "+name+": {max: 1}}]").DeviceTimes()
		if asks != slices.Contains(byDeviceClocks, name) || differs[name] != asks {
			t.Errorf("%s: differs %t, asks for the times of devices: %t", name, differs[name], asks)
		}
	}
	if !rules(t, "rows: [{workload: a/b, rate_per_gpu: {max: 1}}]").DeviceTimes() || rules(t, "rows: [{workload: a/b, time: {max: 1}, min_efficiency: 0.5, rate: {min: 1}}]").DeviceTimes() || (*Rules)(nil).DeviceTimes() {
		t.Error("rates of single GPUs take the times of devices, other limits and no rules do not")
	}
}
