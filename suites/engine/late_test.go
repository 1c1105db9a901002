package engine

import (
	"context"
	"testing"

	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/peak" // registers
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestLateInputs: an input that comes beside the outputs of an iteration is there for
// the next one, and not before.
func TestLateInputs(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	w, err := suites.Find("peak/host-both-ways")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	s, err := Launch(ctx, Spec{Workload: w, Adapters: adapters, Transport: "auto", Residency: EndToEnd, Build: suites.Build{
		Size: 300, Base: 300, Label: "custom", Count: 1, Seed: 42, Limits: PoolLimits(adapters),
		Divide: func(units, _ int64) []program.Share { return []program.Share{{Lo: 0, Hi: units}} },
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if v, err := s.Verify(ctx, true); err != nil || v.Outcome.Wrong != "" {
		t.Fatal(v.Outcome.Wrong, err)
	}
	for _, x := range []struct {
		reps  int
		wrong bool
	}{{1, true}, {2, false}} {
		// The input is lost: the first iteration sees that, the second one has it again.
		err := s.workers[0].do(func(d *vk.Device) error {
			var ops []vk.Op
			p := s.arrays[0]["x"]
			for _, r := range p.regions(0, p.ext.units) {
				ops = append(ops, vk.Op{Kind: vk.OpFill, Dst: r.buffer, DstOff: r.offset, Size: r.size})
			}
			return run(ctx, d, ops)
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Sample(ctx, x.reps); err != nil {
			t.Fatal(err)
		}
		if wrong, err := s.Confirm(ctx); err != nil || (wrong != "") != x.wrong {
			t.Errorf("after %d iterations: %q, %v", x.reps, wrong, err)
		}
	}
}
