//go:build long

package pinn_test

import (
	"context"
	"errors"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/checkpoint"
	"github.com/amgpu/amgpu/suites/engine"
	_ "github.com/amgpu/amgpu/suites/pinn"
	"github.com/amgpu/amgpu/suites/suitetest"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestDeviceConvergence trains on a device until the relative L2 error against the exact
// solution is below 1 %, with the steps and rates of docs/pinn.md; without the validation
// layer, which takes longer than the training.
func TestDeviceConvergence(t *testing.T) {
	_, adapters := vktest.Timed(t, "1")
	w, err := suites.Find("pinn/train")
	if err != nil {
		t.Fatal(err)
	}
	const steps = 3000
	b := suitetest.Build(w, 200, 1)
	b.Limits = engine.PoolLimits(adapters)
	for name, v := range map[string]int64{"dims": 1, "width": 16, "layers": 2, "rate": 10000, "halving": 1000, "steps": steps} {
		b.Params[name] = v
	}
	var done int64
	s, err := engine.Launch(context.Background(), engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: b,
		Checkpoint: &engine.Checkpoint{Every: 100, Save: func(st checkpoint.State) error { // in parts: no one command buffer of 3,000 steps
			done = st.Done
			return nil
		}}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Verify(context.Background(), false)
	if err = errors.Join(err, s.Close()); err != nil || v.Outcome.Wrong != "" {
		t.Fatalf("%v %s", err, v.Outcome.Wrong)
	}
	total := v.Outcome.Training.Losses[0].Values
	off := v.Outcome.Training.Measures[0]
	if done != steps-100 {
		t.Errorf("last saved after %d steps", done)
	}
	t.Logf("%s %.3g, loss from %.3g to %.3g", off.Name, off.Value, total[0], total[len(total)-1])
	if !(off.Value < 1e-2) || total[len(total)-1] > total[0]/100 {
		t.Errorf("%s %.3g, loss from %.3g to %.3g", off.Name, off.Value, total[0], total[len(total)-1])
	}
}
