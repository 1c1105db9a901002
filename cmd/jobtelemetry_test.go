package cmd

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk/sensor"
)

// TestTelemetryOfAJob: rank 0 adds what the sensors of another rank's device say to its own, by
// the device's place in the pool and on its own clock.
func TestTelemetryOfAJob(t *testing.T) {
	sys, id, set := card(t)
	watching := func(ids ...sensor.Identity) *watch {
		w := &watch{o: &options{}, set: sys.Open(ids)}
		w.o.telemetry = true
		t.Cleanup(w.close)
		return w
	}
	there := &measurement{watch: watching(sensor.Identity{}, id)}
	set("tile0/gt0/freq0/throttle/status", "1")
	set("tile0/gt0/freq0/throttle/reason_thermal", "1")
	if raw, err := there.describe(aboutSensors, nil); err != nil || string(raw) != "true" {
		t.Fatalf("%s, %v", raw, err)
	}
	if _, err := there.describe(aboutWatch, nil); err != nil {
		t.Fatal(err)
	}
	raw, err := there.describe(aboutTracks, nil)
	if err != nil || there.watch.sampler != nil {
		t.Fatal(err)
	}
	if _, err := there.describe("the weather", nil); err == nil {
		t.Error("an unknown question is answered")
	}
	var far farTracks
	if err := json.Unmarshal(raw, &far); err != nil {
		t.Fatal(err)
	}
	for name, ids := range map[string][]sensor.Identity{"with sensors": {id, {}}, "without": {{}, {}}} {
		here := watching(ids...)
		here.watchFrom(time.Now(), make([]*float64, 2), &here.turn)
		here.end()
		own := 0
		if here.tracked != nil {
			own = len(here.tracked.Devices)
		}
		// It began 2 s after this one, by a clock that is an hour behind.
		const behind = -3600e9
		var late farTracks
		if err := json.Unmarshal(raw, &late); err != nil {
			t.Fatal(err)
		}
		late.Origin = here.originClock + 2e9 + behind
		here.merge(late, behind)
		list := here.tracked.Devices
		if len(list) != own+1 || list[own].Index != 1 || list[own].Source != "xe" || here.tracked.Interval < telemetryEvery.Seconds() || here.tracked.Origin.IsZero() {
			t.Fatalf("%s: %+v", name, here.tracked)
		}
		got, was := list[own], far.Telemetry.Devices[0]
		for i, at := range got.Seconds {
			if d := at - was.Seconds[i]; d < 2-1e-6 || d > 2+1e-6 {
				t.Errorf("%s: reading %d is %g s later", name, i, d)
			}
		}
		if len(got.Throttle) != 1 || got.Throttle[0].Start != got.Seconds[0] || len(got.Values["sm_clock"]) != len(got.Seconds) {
			t.Errorf("%s: %+v", name, got)
		}
		here.merge(farTracks{}, 0) // a rank that had none after all
	}
}

// TestXidsOfAJob: what the drivers of other ranks report counts like that of this process, also
// where this one has no sensors.
func TestXidsOfAJob(t *testing.T) {
	w := &watch{set: sensor.None(3), ask: func(team []int) (out []scale.Reported) {
		for _, at := range team {
			if at > 0 {
				out = append(out, scale.Reported{Device: at, Xid: uint64(40 + at)})
			}
		}
		return out
	}}
	if got := fmt.Sprint(w.reported()([]int{0, 2})); got != "[{2 42}]" {
		t.Errorf("reported %s", got)
	}
	if late := w.late(); len(late) != 2 || !strings.HasPrefix(late[1].Text, "Xid 42 on device 2, reported after") {
		t.Errorf("late %v", late)
	}
	raw, err := (&measurement{watch: w}).describe(aboutXids, []int{1})
	var list []scale.Reported
	if err != nil || json.Unmarshal(raw, &list) != nil || fmt.Sprint(list) != "[{1 41}]" {
		t.Errorf("%s, %v", raw, err)
	}
}
