package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
	"github.com/amgpu/amgpu/vk/sensor"
)

// A device beyond a limit is waited for, and out when it stays there; what has no
// sensors is never out.
func TestUnfitDevices(t *testing.T) {
	before := unfitWaits
	unfitWaits = []time.Duration{time.Millisecond, time.Millisecond}
	defer func() { unfitWaits = before }()
	sys, id, set := card(t)
	set("hwmon/hwmon1/temp2_label", "pkg")
	set("hwmon/hwmon1/temp2_input", "90000")
	set("hwmon/hwmon1/power1_label", "card")
	set("hwmon/hwmon1/power1_input", "250000000")
	sensors := sys.Open([]sensor.Identity{{}, id})
	defer sensors.Close()
	w := &watch{set: sensors}
	pool := []result.Device{{Index: 0}, {Index: 1}}
	look := func(l limits, team ...int) (int, string, bool) { return w.unfit(l, pool)(t.Context(), team) }

	if at, why, out := look(limits{heat: 85}, 0, 1); !out || at != 1 || why != "90 °C while idle, --max-temperature is 85" {
		t.Errorf("%d %q %v", at, why, out)
	}
	if at, why, out := look(limits{power: 200}, 1); !out || at != 1 || why != "250 W while idle, --max-power is 200" {
		t.Errorf("%d %q %v", at, why, out)
	}
	for _, l := range []limits{{heat: 95}, {power: 400}, {memoryUse: 0.5}} {
		if _, why, out := look(l, 0, 1); out {
			t.Errorf("%+v: %s", l, why)
		}
	}
	if _, _, out := look(limits{heat: 1}, 0); out {
		t.Error("a device without sensors is out")
	}
	unfitWaits = []time.Duration{time.Millisecond, 10 * time.Second}
	go func() {
		time.Sleep(5 * time.Millisecond)
		set("hwmon/hwmon1/temp2_input", "60000")
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, why, out := w.unfit(limits{heat: 85}, pool)(ctx, []int{1}); out {
		t.Errorf("a device that cooled down, or was not waited for, is out: %s", why)
	}
	if w.unfit(limits{}, pool) != nil || (&watch{set: sensor.None(2)}).unfit(limits{heat: 85}, pool) != nil {
		t.Error("somebody looks where there is nothing to see")
	}
}

// What may pass names its place in the pool and keeps its status; what is a fact about
// the row, or the user's wish, is not tried again.
func TestLocated(t *testing.T) {
	call := func(r vk.Result, device string) error {
		return fmt.Errorf("placing arrays: %w", &vk.CallError{Call: "vkAllocateMemory", Device: device, Index: 7, Result: r})
	}
	for _, test := range []struct {
		err    error
		device int // -2: no fault
		status string
	}{
		{call(vk.DeviceLost, "device 7 (x)"), 2, result.DeviceLost},
		{call(vk.OutOfDeviceMem, "device 7 (x)"), 2, result.Unsupported},
		{call(vk.OutOfHostMemory, "device 7 (x)"), 2, ""},
		{call(vk.DeviceLost, ""), -1, result.DeviceLost},
		{&vk.PhaseError{Err: errors.New("cuda: 719")}, -1, result.DeviceLost},
		{&peer.DriverError{Err: errors.New("cuStreamCreate: 719")}, -1, result.DeviceLost},
		{errors.Join(fmt.Errorf("x: %w", vk.ErrUnsupported), &peer.DriverError{Err: errors.New("cuStreamCreate: 719")}), -1, result.DeviceLost},
		{fmt.Errorf("x: %w", vk.ErrUnsupported), -2, result.Unsupported},
		{context.Canceled, -2, ""},
		{errors.New("no such array"), -2, ""},
	} {
		err := located(classify(test.err), map[int]int{7: 2})
		var f *scale.Fault
		if found := errors.As(err, &f); found != (test.device != -2) || found && f.Device != test.device {
			t.Errorf("%v: %+v", test.err, f)
		}
		var failure *scale.Failure
		if errors.As(err, &failure) != (test.status != "") || test.status != "" && failure.Status != test.status {
			t.Errorf("%v: %+v", test.err, failure)
		}
		if !strings.Contains(err.Error(), test.err.Error()) {
			t.Errorf("%v became %v", test.err, err)
		}
	}
}

// What fails on several devices at once names all of them, however deep the errors are joined; a
// device that only ran out of memory is not to blame where another one is lost.
func TestLocatedOnSeveral(t *testing.T) {
	on := func(index int, r vk.Result) error {
		return fmt.Errorf("placing arrays: %w", &vk.CallError{Call: "vkAllocateMemory", Device: "device", Index: index, Result: r})
	}
	for _, test := range []struct {
		err    error
		device int
		beside string
		status string
	}{
		{errors.Join(on(7, vk.OutOfDeviceMem), on(5, vk.OutOfDeviceMem)), 2, "[1]", result.Unsupported},
		{fmt.Errorf("launch: %w", errors.Join(on(7, vk.OutOfDeviceMem), errors.Join(on(7, vk.OutOfDeviceMem), on(5, vk.OutOfDeviceMem)))), 2, "[1]", result.Unsupported},
		{errors.Join(on(7, vk.OutOfDeviceMem), on(5, vk.DeviceLost)), 1, "[2]", result.DeviceLost},
		{errors.Join(on(9, vk.DeviceLost), on(5, vk.OutOfDeviceMem)), -1, "[1]", result.DeviceLost},
		{errors.Join(on(7, vk.OutOfDeviceMem), on(5, vk.OutOfHostMemory)), 2, "[1]", ""},
		{fmt.Errorf("%w: %w", &vk.PhaseError{Err: on(7, vk.DeviceLost)}, errors.New("x")), 2, "[]", result.DeviceLost},
	} {
		err := located(classify(test.err), map[int]int{7: 2, 5: 1})
		var f *scale.Fault
		if !errors.As(err, &f) || f.Device != test.device || fmt.Sprint(f.Beside) != test.beside {
			t.Errorf("%v: %+v", test.err, f)
		}
		var failure *scale.Failure
		if errors.As(err, &failure) != (test.status != "") || failure != nil && failure.Status != test.status {
			t.Errorf("%v: %+v", test.err, failure)
		}
	}
}

// What a first part knew of a device is kept, but not that it was out.
func TestHealthOfBothParts(t *testing.T) {
	r := &resumption{res: &result.Result{Health: []result.Health{{Device: 0, Errors: 2, Last: "a", Out: true}, {Device: 2, Errors: 1, Last: "b"}}}}
	got := r.health([]result.Health{{Device: 2, Errors: 3, Last: "c", Out: true}})
	if want := "[{0 2 a false 0} {2 4 c true 0}]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}
