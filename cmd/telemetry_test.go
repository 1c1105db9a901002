package cmd

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk/sensor"
)

// card makes the files of an Intel card, whose values the test then changes.
func card(t *testing.T) (s sensor.System, id sensor.Identity, set func(file, value string)) {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "sys/bus/pci/devices/0000:03:00.0")
	set = func(file, value string) {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(value+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set("tile0/gt0/freq0/act_freq", "2400")
	set("tile0/gt0/freq0/throttle/status", "0")
	set("hwmon/hwmon1/energy1_input", "1000000")
	if err := os.Symlink("../../drivers/xe", filepath.Join(dir, "driver")); err != nil {
		t.Fatal(err)
	}
	return sensor.System{Root: root}, sensor.Identity{PCI: "0000:03:00.0"}, set
}

// Telemetry holds what was read, by quantity, with the stretches of throttling, and
// nothing of what the card does not have.
func TestTelemetryOfACard(t *testing.T) {
	sys, id, set := card(t)
	sensors := sys.Open([]sensor.Identity{{}, id})
	defer sensors.Close()
	origin := time.Now()
	var readings []sensor.Reading
	read := func() { readings = append(readings, sensors.Devices[1].Read(sensor.Everything)) }
	read()
	set("tile0/gt0/freq0/throttle/status", "1")
	set("tile0/gt0/freq0/throttle/reason_thermal", "1")
	read()
	read()
	set("tile0/gt0/freq0/throttle/status", "0")
	set("hwmon/hwmon1/energy1_input", "3000000")
	read()
	set("tile0/gt0/freq0/throttle/status", "1")
	read()
	watts := 25.0
	doc := telemetry(origin, []sensor.Track{{Device: sensors.Devices[0]}, {Device: sensors.Devices[1], Readings: readings}},
		[]*float64{nil, &watts}, time.Second, time.Millisecond)
	if len(doc.Devices) != 1 || doc.Interval != 1 || doc.Cost != 1e-3 {
		t.Fatalf("%+v", doc)
	}
	d := doc.Devices[0]
	if d.Index != 1 || d.Source != "xe" || *d.Idle != 25 || len(d.Seconds) != 5 || len(d.Values) != 2 {
		t.Errorf("%+v", d)
	}
	if *d.Values["sm_clock"][4] != 2.4e9 || *d.Values["energy"][0] != 1 || *d.Values["energy"][4] != 3 {
		t.Errorf("values %v", d.Values)
	}
	if len(d.Throttle) != 2 || d.Throttle[0].Start != d.Seconds[1] || d.Throttle[0].End != d.Seconds[2] ||
		d.Throttle[0].Reasons[0] != "thermal-hardware" || d.Throttle[1].Start != d.Seconds[4] {
		t.Errorf("throttle %+v at %v", d.Throttle, d.Seconds)
	}
	if _, err := json.Marshal(doc); err != nil {
		t.Error(err)
	}
}

// The meter learns clocks and throttled samples from a session, the trial its energy.
func TestSessionOfAThrottledCard(t *testing.T) {
	sys, id, set := card(t)
	sensors := sys.Open([]sensor.Identity{{}, {}, {}, id})
	defer sensors.Close()
	m := &machine{sensors: sensors.Devices}
	s := &session{team: []int{3}, watch: m.watch([]int{3})}
	s.watch.After(2) // warm-up
	begin := time.Now()
	set("tile0/gt0/freq0/throttle/status", "1")
	set("tile0/gt0/freq0/throttle/reason_thermal", "1")
	set("tile0/gt0/freq0/throttle/reason_pl1", "1")
	set("hwmon/hwmon1/energy1_input", "9000000")
	s.watch.After(2)
	clocks := s.Clocks(begin, time.Now())
	if len(clocks) != 1 || clocks[0] != 2.4e9 {
		t.Errorf("clocks %v", clocks)
	}
	if reason, detail := s.Invalid(begin, time.Now()); reason != result.InvalidThrottled || detail != "thermal-hardware on device 3" {
		t.Errorf("invalid for %q: %q", reason, detail)
	}
	if reason, _ := s.Invalid(time.Now().Add(time.Hour), time.Now()); reason != "" {
		t.Errorf("a sample not taken yet is invalid for %q", reason)
	}
	var trial result.Trial
	s.Watched(&trial)
	if trial.Energy == nil || trial.Energy.Joules != 4 || !(trial.Energy.Seconds > 0) { // 8 J in two iterations
		t.Errorf("energy %+v", trial.Energy)
	}
	if len(trial.Warnings) != 1 || trial.Warnings[0].Code != "power-cap" {
		t.Errorf("warnings %+v", trial.Warnings)
	}
}

// A memory error voids the launch.
func TestSessionWithMemoryErrors(t *testing.T) {
	s := &session{team: []int{1, 4}, said: &sensor.Summary{Errors: []int{0, 2}}}
	trial := result.Trial{Samples: []float64{1, 1}}
	s.Watched(&trial)
	if len(trial.Invalid) != 2 || trial.Invalid[1] != (result.InvalidSample{Index: 1, Reason: result.InvalidDevice, Detail: "2 uncorrected memory errors on device 4"}) {
		t.Errorf("invalid %+v", trial.Invalid)
	}
}

// Without sensors, or with those of one device of two, there is nothing to tell.
func TestSessionWithoutClocks(t *testing.T) {
	sys, id, _ := card(t)
	sensors := sys.Open([]sensor.Identity{id, {}})
	defer sensors.Close()
	m := &machine{sensors: sensors.Devices}
	for _, s := range []*session{{}, {team: []int{0, 1}, watch: m.watch([]int{0, 1})}} {
		if clocks := s.Clocks(time.Now(), time.Now()); clocks != nil {
			t.Errorf("clocks %v", clocks)
		}
		if reason, _ := s.Invalid(time.Time{}, time.Now()); reason != "" {
			t.Errorf("invalid for %q", reason)
		}
		var trial result.Trial
		s.Watched(&trial)
		if trial.Energy != nil || trial.Warnings != nil {
			t.Errorf("%+v", trial)
		}
	}
	if (&machine{}).watch([]int{0}) != nil {
		t.Error("a machine without sensors watches")
	}
}

func TestGPUInUse(t *testing.T) {
	d := result.Device{Index: 2, Name: "GPU X"}
	desk := sensor.Process{PID: 7, Name: "Xorg", Memory: 1 << 30}
	job := sensor.Process{PID: 9, Compute: true}
	notes, err := inUse(d, []sensor.Process{desk}, false)
	if err != nil || len(notes) != 1 || notes[0].Code != "busy" || !strings.Contains(notes[0].Text, "process 7 (Xorg), which holds 1.0 GiB") {
		t.Errorf("%+v, %v", notes, err)
	}
	if _, err = inUse(d, []sensor.Process{desk, job}, false); codeFor(err) != codeNoGPU || !strings.Contains(err.Error(), "device 2 GPU X is used by process 9") {
		t.Errorf("%v", err)
	}
	if notes, err = inUse(d, []sensor.Process{job}, true); err != nil || len(notes) != 1 {
		t.Errorf("forced: %+v, %v", notes, err)
	}
}

func TestIdlePower(t *testing.T) {
	sys, id, set := card(t)
	sensors := sys.Open([]sensor.Identity{id, {}})
	defer sensors.Close()
	a := sensors.Devices[0].Read(sensor.Everything)
	set("hwmon/hwmon1/energy1_input", "3000000")
	b := sensors.Devices[0].Read(sensor.Everything)
	b.At = a.At.Add(2 * time.Second)
	if p := meanPower(a, b); p == nil || *p != 1 {
		t.Errorf("2 J in 2 s are %v W", p)
	}
	none := sensors.Devices[1].Read(sensor.Everything)
	if p := meanPower(none, none); p != nil {
		t.Errorf("%g W without a sensor", *p)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // does not wait
	if p := idlePower(ctx, sensors); len(p) != 2 || p[1] != nil {
		t.Errorf("idle %v", p)
	}
}

// Cards that tell of no Xid have none, and without sensors nobody asks.
func TestReportedOfACardWithoutXids(t *testing.T) {
	sys, id, _ := card(t)
	sensors := sys.Open([]sensor.Identity{id, {}})
	defer sensors.Close()
	w := &watch{set: sensors}
	if list := w.reported()([]int{0, 1}); list != nil || w.late() != nil {
		t.Errorf("%v, %v", list, w.late())
	}
	for _, w := range []*watch{{}, {set: sensor.None(2)}} {
		if w.reported() != nil || w.late() != nil {
			t.Error("a machine without sensors is asked")
		}
	}
}
