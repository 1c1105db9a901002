package gate

import (
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// TestMeasuresOfMemoryAndDecisions: what is counted or timed beside the samples is judged
// by a single launch, on all devices and by the slowest decision; what is not known is missing.
func TestMeasuresOfMemoryAndDecisions(t *testing.T) {
	const (
		used     = "rows: [{workload: a/b, count: 2, memory_used: {min: 0.85, max: 0.95}}]"
		saved    = "rows: [{workload: a/b, count: 2, memory_saved: {min: 0.35}}]"
		decision = "rows: [{workload: a/b, count: 2, decision: {max: 0.005}}]"
	)
	at := func(v float64) *float64 { return &v }
	use := func(shares ...int64) func(*result.Trial) {
		return func(t *result.Trial) {
			t.HighWater, t.Memory = make([]int64, len(shares)), nil
			for i, n := range shares {
				t.HighWater[i] = n
				t.Memory = append(t.Memory, result.MemoryUse{Used: n, Budget: 100})
			}
		}
	}
	save := func(resident, replicated int64) func(*result.Trial) {
		return func(t *result.Trial) {
			t.HighWater, t.Resident, t.Replicated = []int64{resident, 1}, resident, replicated
		}
	}
	decide := func(d *result.Decision) func(*result.Trial) {
		return func(t *result.Trial) {
			if t.Launch == 0 { // of the first launch only
				t.Decision = d
			}
		}
	}
	for _, c := range []struct {
		rule string
		edit func(*result.Trial)
		want Verdict
	}{
		{used, use(90, 91), Met},
		{used, use(85, 95), Met},
		{used, use(90, 96), Inconclusive},
		{used, use(50, 60), Unmet},
		{used, use(97, 98), Unmet},
		{used, func(*result.Trial) {}, Missing},
		{saved, save(60, 100), Met},
		{saved, save(70, 100), Unmet},
		{saved, save(0, 0), Missing},
		{decision, decide(&result.Decision{Calls: 1000, P99: .002, Low: at(.001), High: at(.004)}), Met},
		{decision, decide(&result.Decision{Calls: 1000, P99: .004, Low: at(.003), High: at(.006)}), Inconclusive},
		{decision, decide(&result.Decision{Calls: 1000, P99: .008, Low: at(.006), High: at(.009)}), Unmet},
		{decision, decide(&result.Decision{Calls: 100, P99: .002}), Inconclusive},
		{decision, decide(nil), Missing},
	} {
		r, err := Run(nil, edit(fleet(), func(t *result.Trial) {
			if t.Count == 2 {
				c.edit(t)
			}
		}), Options{Rules: rules(t, c.rule)})
		if err != nil || len(r.Rows) != 1 {
			t.Fatalf("%s: %v, %+v", c.rule, err, r)
		}
		if row := r.Rows[0]; row.Verdict != c.want {
			t.Errorf("%s: %s (%s), %+v, want %s", c.rule, row.Verdict, row.Reason, row.Effect, c.want)
		}
	}
}
