package stat

import (
	"math"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// TestMemoryOf: naive replication takes what a row took and what its arrays lack on the
// fullest device; the worst launch counts, and what is not known of one launch is not said.
func TestMemoryOf(t *testing.T) {
	const gib = 1 << 30
	launch := func(high ...int64) *result.Trial {
		return &result.Trial{Count: len(high), HighWater: high, Resident: 4 * gib, Replicated: 8 * gib}
	}
	m := MemoryOf([]*result.Trial{launch(5*gib, 4*gib), launch(6*gib, 4*gib)})
	if m == nil || m.Peak != 6*gib || m.Replicated != 10*gib || m.Saved == nil || math.Abs(*m.Saved-.4) > 1e-12 || m.Used != nil {
		t.Fatalf("%+v", m)
	}
	if m := MemoryOf([]*result.Trial{launch(5 * gib)}); m.Saved != nil || m.Peak != 5*gib {
		t.Errorf("one device saves nothing: %+v", m)
	}
	a, b := launch(5*gib, 5*gib), launch(5*gib, 5*gib)
	a.Memory = []result.MemoryUse{{Used: 80, Budget: 100}, {Used: 90, Budget: 100}}
	b.Memory = []result.MemoryUse{{Used: 85, Budget: 100}, {Used: 95, Budget: 100}}
	if m := MemoryOf([]*result.Trial{a, b}); m.Used == nil || *m.Used != (result.Range{Least: .8, Most: .95}) {
		t.Errorf("%+v", m.Used)
	}
	b.Memory[1] = result.MemoryUse{}
	if m := MemoryOf([]*result.Trial{a, b}); m.Used != nil {
		t.Errorf("a budget is not known: %+v", m.Used)
	}
	b.HighWater[0] = 0 // of another rank
	for _, trials := range [][]*result.Trial{nil, {a, b}, {launch(), a}} {
		if m := MemoryOf(trials); m != nil {
			t.Errorf("not known: %+v", m)
		}
	}
}
