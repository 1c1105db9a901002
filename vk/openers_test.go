package vk_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// wide is a polling schedule of phases of empty work whose gates threads of their own open.
func wide(t *testing.T, devices []*vk.Device, phases int) *vk.Schedule {
	t.Helper()
	list := make([]vk.Phase, phases)
	for p := range list {
		for _, d := range devices {
			list[p].Submissions = append(list[p].Submissions, []*vk.Commands{record(t, d)})
		}
	}
	s, err := vk.NewPollingSchedule(devices, list)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closes(t, s) })
	if n := s.OpenTogether(); n != len(devices)-1 {
		t.Fatalf("%d openers for %d devices", n, len(devices))
	}
	return s
}

// TestOpeners: every gate opens in every run, after the time it is said to open at.
func TestOpeners(t *testing.T) {
	_, devices := vktest.Devices(t, "3")
	s := wide(t, devices, 2)
	for range 100 {
		timing, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range devices {
			if timing.Signalled[i] < timing.Opened || timing.Done[i] < timing.Signalled[i] || timing.PhaseDone[1] < timing.Done[i] {
				t.Fatalf("device %d of %+v", i, timing)
			}
		}
	}
	wide(t, devices[:1], 1) // none for one device
}

// TestOpenerThatFails: the signal of an opener fails once: its device is named, nothing is
// left behind and the next run succeeds.
func TestOpenerThatFails(t *testing.T) {
	devices := injected(t, "call=vkSignalSemaphore,device=1,nth=2,result=VK_ERROR_OUT_OF_HOST_MEMORY", vk.DeviceOptions{SyncTimeout: 10 * time.Second})
	s := wide(t, devices, 2)
	for run := range 4 {
		_, err := s.Run(t.Context())
		var call *vk.CallError
		switch {
		case run == 1 && (!errors.As(err, &call) || call.Index != 1 || call.Call != "vkSignalSemaphore"):
			t.Fatalf("%v does not name the device and its call", err)
		case run != 1 && err != nil:
			t.Fatalf("run %d: %v", run, err)
		}
	}
}

// TestOpenersOfAClosedRun: a run that ends before its gate opens leaves no opener spinning or
// waiting.
func TestOpenersOfAClosedRun(t *testing.T) {
	_, devices := vktest.Devices(t, "2")
	s := wide(t, devices, 1)
	s.OpenAt(vk.Now() + int64(time.Hour))
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Run(soon); err == nil {
		t.Fatal("the gate opened an hour early")
	}
	s.OpenAt(0)
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}
