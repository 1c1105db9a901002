//go:build gpu

package vk_test

import (
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/vk"
)

// gpus opens every GPU of this machine; a single one twice, so that there is
// always a team.
func gpus(t testing.TB) []*vk.Device {
	t.Helper()
	in, err := vk.Open(vk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, m := range in.Messages() { // with AMGPU_VALIDATION=1
			t.Errorf("validation: %s: %s", m.ID, m.Text)
		}
		closes(t, in)
	})
	var use []*vk.Adapter
	for _, a := range in.Adapters() {
		if a.Err() == nil && !a.Info().Software() && a.Info().DuplicateOf < 0 {
			use = append(use, a)
		}
	}
	if len(use) == 0 {
		t.Fatal("no GPU on this machine")
	}
	if len(use) == 1 {
		use = append(use, use[0])
	}
	var devices []*vk.Device
	for _, a := range use {
		d, err := a.Open(vk.DeviceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closes(t, d) })
		devices = append(devices, d)
	}
	return devices
}

func TestGPUs(t *testing.T) {
	devices := gpus(t)
	for i, d := range devices {
		info := d.Info()
		t.Logf("device %d: %+v, features %v", i, *info, info.Features.Names())
		for what, ok := range map[string]bool{
			"PCI address": info.PCI != "" && info.UUID != [16]byte{},
			"memory":      len(info.Heaps) > 0 && info.Heaps[0].Size > 0,
			"budget":      !info.Features.MemoryBudget || info.Heaps[0].BudgetKnown && info.Heaps[0].Budget > 0,
			"limits":      info.Limits.SubgroupSize > 0 && info.Limits.TimestampPeriod > 0 && info.Limits.MaxAllocation > 0,
		} {
			if !ok {
				t.Errorf("device %d reports no %s: %+v", i, what, *info)
			}
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Run("round trip", func(t *testing.T) { roundTrip(t, d) })
			t.Run("barriers", func(t *testing.T) { barriersKeepOrder(t, d) })
			t.Run("timestamps", func(t *testing.T) { timestamps(t, d) })
			t.Run("clocks", func(t *testing.T) { calibrate(t, d) })
			if k := (i + 1) % len(devices); d.Info().Features.ExternalMemoryHost {
				t.Run("host block", func(t *testing.T) { hostBlockRelay(t, []*vk.Device{d, devices[k]}) })
			}
		})
	}
	r := newRing(t, vk.NewSchedule, devices, 5)
	for range 200 {
		if _, err := r.schedule.Run(limit(t)); err != nil {
			t.Fatal(err)
		}
	}
	r.check(t, 200)
}

// The clock of a GPU tells apart far less than a thousandth of the shortest sample.
func TestGPUGranularity(t *testing.T) {
	for i, d := range gpus(t) {
		got, err := d.TimestampGranularity(limit(t))
		if err != nil {
			t.Fatal(err)
		}
		unit := d.Info().Limits.TimestampPeriod * 1e-9
		t.Logf("device %d: %g s, unit %g s", i, got, unit)
		if got < unit || got > 10e-6 {
			t.Errorf("device %d: %g s, with a unit of %g s", i, got, unit)
		}
	}
}

func BenchmarkGPUEmptyStep(b *testing.B) {
	devices := gpus(b)
	for n := 1; n <= len(devices); n++ {
		b.Run(fmt.Sprintf("devices=%d", n), func(b *testing.B) { emptyStep(b, devices[:n], 1) })
	}
}

// What an exchange between two submissions is held against: the same without data, each device
// waiting for all between the two.
func BenchmarkGPUTwoEmptySteps(b *testing.B) {
	devices := gpus(b)
	for n := 1; n <= len(devices); n++ {
		b.Run(fmt.Sprintf("devices=%d", n), func(b *testing.B) { emptyStep(b, devices[:n], 2) })
	}
}
