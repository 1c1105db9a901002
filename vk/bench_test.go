package vk_test

import (
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/soft"
)

// What a step costs beside its work, without validation: a schedule of one
// phase with an empty command buffer on every device.
func BenchmarkEmptyStep(b *testing.B) {
	for _, n := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("devices=%d", n), func(b *testing.B) {
			cleanup, err := soft.Prepare(soft.Spec{Lavapipe: n})
			if err != nil {
				b.Fatal(err)
			}
			defer cleanup()
			in, err := vk.Open(vk.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer closes(b, in)
			var devices []*vk.Device
			for _, a := range in.Adapters() {
				d, err := a.Open(vk.DeviceOptions{})
				if err != nil {
					b.Fatal(err)
				}
				defer closes(b, d)
				devices = append(devices, d)
			}
			emptyStep(b, devices, 1)
		})
	}
}

func emptyStep(b *testing.B, devices []*vk.Device, n int) {
	b.Helper()
	phases := make([]vk.Phase, n)
	for i := range phases {
		for _, d := range devices {
			phases[i].Submissions = append(phases[i].Submissions, []*vk.Commands{record(b, d)})
		}
	}
	s, err := vk.NewSchedule(devices, phases)
	if err != nil {
		b.Fatal(err)
	}
	defer closes(b, s)
	for b.Loop() {
		if _, err := s.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
