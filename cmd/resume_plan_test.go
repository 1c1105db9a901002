package cmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// TestOtherPlan: whatever differs is said as the flag with both values, never as JSON.
func TestOtherPlan(t *testing.T) {
	plan := func(change func(*result.Plan)) result.Plan {
		p := result.Plan{Seed: 5, Preset: "quick", Launches: 4, Counts: []int{1, 2}, Modes: []string{"strong"}, Subsets: "rotate", Strategy: "equal",
			Precision: 0.01, Samples: 3, MaxTime: 0.05, Params: map[string]int64{"a/b:x": 1}}
		for count := 1; count <= 2; count++ {
			p.Order = append(p.Order, result.PlannedCell{Key: result.Key{Workload: "a/b", Mode: "strong", Size: result.Size{Label: "custom", N: 4096}, Transport: "host", Residency: "resident", Cache: "hot"},
				Count: count, Devices: []int{0, 1}[:count], Total: 4096})
		}
		change(&p)
		return p
	}
	each := func(change func(*result.PlannedCell)) func(*result.Plan) {
		return func(p *result.Plan) {
			for i := range p.Order {
				change(&p.Order[i])
			}
		}
	}
	for want, change := range map[string]func(*result.Plan){
		"":                                   func(*result.Plan) {},
		"--seed: 5 in the file, 6 asked for": func(p *result.Plan) { p.Seed = 6 },
		"--gpus: 1,2 in the file, 2 asked for; --launches: 4 in the file, 7 asked for": func(p *result.Plan) { p.Counts, p.Launches = []int{2}, 7 },
		"--mode: strong in the file, strong,weak asked for":                            func(p *result.Plan) { p.Modes = append(p.Modes, "weak") },
		"--precision: 1% in the file, 0.5% asked for":                                  func(p *result.Plan) { p.Precision = 0.005 },
		"--max-time: 50ms in the file, 10s asked for":                                  func(p *result.Plan) { p.MaxTime = 10 },
		"--self-test: false in the file, true asked for":                               func(p *result.Plan) { p.SelfTest = true },
		"--input: none in the file, data.bin asked for":                                func(p *result.Plan) { p.Input = "data.bin" },
		"--size: 4096 in the file, L asked for":                                        each(func(c *result.PlannedCell) { c.Size = result.Size{Label: "L", N: 1 << 20} }),
		"--transport: host in the file, staging asked for":                             each(func(c *result.PlannedCell) { c.Transport = "staging" }),
		"workloads: a/b in the file, c/d asked for": func(p *result.Plan) {
			p.Params = nil
			each(func(c *result.PlannedCell) {
				c.Workload, c.Size, c.Transport = "c/d", result.Size{Label: "S", N: 8}, ""
			})(p)
		},
	} {
		if got := strings.Join(otherPlan(plan(func(*result.Plan) {}), plan(change), append(slices.Clone(fixedByPlan), "workloads")), "; "); got != want || strings.ContainsAny(got, `{}[]"`) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Only what was asked for is compared, and all of that.
func TestOtherPlanAsked(t *testing.T) {
	stored := result.Plan{Seed: 5, Preset: "quick", Launches: 4, Counts: []int{1, 2}, Modes: []string{"strong"}, Strategy: "dynamic:steal"}
	mine := result.Plan{Seed: 7, Preset: "default", Launches: 7, Counts: []int{1, 2, 4}, Modes: []string{"strong", "weak"}, Strategy: "equal"}
	for asked, want := range map[string]string{
		"":                "",
		"seed":            "--seed: 5 in the file, 7 asked for",
		"launches,preset": "--preset: quick in the file, default asked for; --launches: 4 in the file, 7 asked for",
		"assign":          "--strategy: dynamic:steal in the file, equal asked for",
		"team":            "",
	} {
		if got := strings.Join(otherPlan(stored, mine, strings.Split(asked, ",")), "; "); got != want {
			t.Errorf("%s: %q, want %q", asked, got, want)
		}
	}
	params := otherParams(map[string]int64{"a/b:x": 1, "a/b:y": 2}, map[string]int64{"a/b:x": 1, "a/b:y": 1, "a/b:z": 3}, map[string]int64{"y": 1, "z": 3})
	if got := strings.Join(params, "; "); got != "--param: a/b:y=2 in the file, a/b:y=1 asked for" {
		t.Error(got)
	}
}

// A result tells which command made it: by its command line, else by its rows.
func TestMeasuredBy(t *testing.T) {
	for _, test := range []struct {
		command, modes []string
		want           string
	}{
		{[]string{"amgpu", "run", "scale"}, []string{"strong"}, "run"},
		{[]string{"scale", "scale"}, []string{"strong"}, "scale"},
		{[]string{"amgpu-mpi", "--json=false", "run"}, []string{"solo"}, "run"},
		{nil, []string{"solo"}, "run"},
		{nil, []string{"strong", "weak"}, "scale"},
	} {
		if got := measuredBy(&result.Result{Command: test.command, Plan: result.Plan{Modes: test.modes}}); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}
