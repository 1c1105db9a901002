// Package vktest opens software devices for tests, with the validation layer
// and synchronization validation on.
package vktest

import (
	"testing"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/soft"
)

// Team opens the software devices of a soft.Parse description such as "2" or
// "1+swiftshader". When the test ends everything must be closed again and the
// validation layer must have had nothing to say. A missing driver or layer
// fails the test: it never skips. Tests that use it cannot be parallel, as the
// drivers are chosen in the environment.
func Team(t testing.TB, spec string) (*vk.Instance, []*vk.Adapter) {
	t.Helper()
	return team(t, spec, true)
}

// Timed is Team without the validation layer, whose cost would be measured too.
func Timed(b testing.TB, spec string) (*vk.Instance, []*vk.Adapter) {
	b.Helper()
	return team(b, spec, false)
}

func team(t testing.TB, spec string, validation bool) (*vk.Instance, []*vk.Adapter) {
	t.Helper()
	// Panics in a parallel test, which would change the environment under others.
	t.Setenv("AMGPU_VKTEST", spec)
	s, err := soft.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	cleanup, err := soft.Prepare(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cleanup)
	in, err := vk.Open(vk.Options{Validation: validation})
	if err != nil {
		t.Fatalf("open Vulkan with %s: %v", spec, err)
	}
	t.Cleanup(func() {
		Quiet(t, in)
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	adapters := in.Adapters()
	if len(adapters) != s.Devices() {
		t.Fatalf("the loader shows %d devices, want %d of %s", len(adapters), s.Devices(), spec)
	}
	for _, a := range adapters {
		if a.Err() != nil {
			t.Fatalf("device %d: %v", a.Info().Index, a.Err())
		}
	}
	return in, adapters
}

// Quiet fails the test if the validation layer has reported anything since the
// messages were last fetched.
func Quiet(t testing.TB, in *vk.Instance) {
	t.Helper()
	const most = 5 // one mistake in a loop repeats itself
	messages := in.Messages()
	for i, m := range messages {
		if i == most {
			t.Errorf("validation: and %d more", len(messages)-most)
			break
		}
		t.Errorf("validation: %s: %s", m.ID, m.Text)
	}
}

// Devices opens a team of software devices as Team does and a vk.Device on each;
// they are closed when the test ends.
func Devices(t testing.TB, spec string) (*vk.Instance, []*vk.Device) {
	t.Helper()
	in, adapters := Team(t, spec)
	var devices []*vk.Device
	for _, a := range adapters {
		d, err := a.Open(vk.DeviceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		devices = append(devices, d)
	}
	return in, devices
}
