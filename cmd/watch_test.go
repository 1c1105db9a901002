package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk/sensor"
)

// A device without sensors shows no value at all, in no form, and a pool without devices
// is shown as such.
func TestAbsentSensorsAreNotShown(t *testing.T) {
	var out bytes.Buffer
	s := streams{Out: &out}
	set := sensor.None(1)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := set.Devices[0].Read(sensor.Everything)
	r.At = at
	rows := []watched{(&meter{}).row(result.Device{Index: 3, Name: "GPU X"}, r)}
	for _, c := range []struct {
		view watchView
		rows []watched
		want string
	}{
		{&lineView{s}, rows, "2026-01-02T03:04:05Z  device 3\n"},
		{jsonView{s}, rows, `{"time":"2026-01-02T03:04:05Z","devices":[{"index":3,"values":{},"throttle":null}]}` + "\n"},
		{&lineView{s}, nil, ""},
		{jsonView{s}, nil, `{"time":"2026-01-02T03:04:05Z","devices":[]}` + "\n"},
	} {
		out.Reset()
		if err := c.view.readings(at, c.rows); err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("got %q, want %q", out.String(), c.want)
		}
	}
	out.Reset()
	if err := (&screenView{s: s}).readings(at, rows); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "3    -       -") || strings.Contains(out.String(), " 0 ") {
		t.Errorf("screen %q", out.String())
	}
}

// hotplug watches lists of devices, one after the other, and returns what was shown.
func hotplug(t *testing.T, view func(streams) watchView, open func([]sensor.Identity) *sensor.Set, lists ...any) string {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errTimeout)
	defer cancel()
	var out bytes.Buffer
	n := 0
	done := errors.New("all lists are told")
	w := &deviceWatch{open: open, every: time.Millisecond, again: 3 * time.Millisecond, view: view(streams{Out: &out})}
	ctx, end := context.WithCancelCause(ctx)
	w.list = func() ([]result.Device, error) {
		if n == len(lists) {
			end(done)
			return nil, errors.New("over")
		}
		n++
		if err, failed := lists[n-1].(error); failed {
			return nil, err
		}
		return lists[n-1].([]result.Device), nil
	}
	if err := w.run(ctx); !errors.Is(err, done) {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String()
}

// What comes and what goes is told once, by UUID and address, with what a list that fails
// says; sensors are those of the devices that are there.
func TestHotPlug(t *testing.T) {
	sys, id, _ := card(t)
	a := result.Device{Index: 0, Name: "A", UUID: "u", PCI: id.PCI}
	b := result.Device{Index: 1, Name: "B", UUID: "u", PCI: "0000:04:00.0"}
	first := b
	first.Index = 0
	lists := []any{
		[]result.Device{a}, []result.Device{a, b}, []result.Device{a, b}, []result.Device{first}, errors.New("driver"), errors.New("driver"),
		&exitError{code: codeNoGPU, err: errors.New("none")}, usage("matches no device"), []result.Device{a},
	}
	text := hotplug(t, func(s streams) watchView { return &lineView{s} }, sys.Open, lists...)
	var told []string
	for line := range strings.Lines(text) {
		if _, rest, _ := strings.Cut(line, "  "); !strings.HasPrefix(rest, "device 0  2400 SM MHz") && rest != "device 0\n" && rest != "device 1\n" {
			told = append(told, strings.TrimSpace(rest))
		}
	}
	want := []string{
		"device 1 came: B, uuid u, pci 0000:04:00.0", "device 0 is gone: A, uuid u, pci 0000:03:00.0",
		"cannot look for devices: driver", "device 0 is gone: B, uuid u, pci 0000:04:00.0", "device 0 came: A, uuid u, pci 0000:03:00.0",
	}
	if len(told) > len(want) && strings.Contains(told[len(want)], "over") {
		told = told[:len(want)]
	}
	if fmt.Sprint(told) != fmt.Sprint(want) {
		t.Errorf("told %q\nwant %q\n%s", told, want, text)
	}
	events := map[string]int{}
	for line := range strings.Lines(hotplug(t, func(s streams) watchView { return jsonView{s} }, sys.Open, lists...)) {
		var doc struct {
			Event, Text string
			Device      *struct{ Index *int }
			Devices     []struct{ Values map[string]float64 }
		}
		if err := json.Unmarshal([]byte(line), &doc); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if doc.Event != "" && (doc.Event == "error") != (doc.Device == nil && doc.Text != "") {
			t.Errorf("%s", line)
		}
		events[doc.Event]++
	}
	if events["came"] != 2 || events["gone"] != 2 || events["error"] == 0 || events[""] == 0 {
		t.Errorf("events %v", events)
	}
	screen := hotplug(t, func(s streams) watchView { return &screenView{s: s} }, sys.Open, []result.Device{a}, []result.Device{a, b}, []result.Device{a, b}, []result.Device{a, b})
	if !strings.Contains(screen, "device 1 came: B") || !strings.Contains(screen, "W  J  C  util %") {
		t.Errorf("screen %q", screen)
	}
}

// Energy counts from the start of the watch, goes on where a counter begins anew, and is
// absent where there is none.
func TestWatchedEnergy(t *testing.T) {
	sys, id, set := card(t)
	sensors := sys.Open([]sensor.Identity{id, {}})
	defer sensors.Close()
	var m, none meter
	for _, step := range []struct{ counter, want string }{{"1000000", "0"}, {"43000000", "42"}, {"5000000", "42"}, {"15000000", "52"}} {
		set("hwmon/hwmon1/energy1_input", step.counter)
		w := m.row(result.Device{}, sensors.Devices[0].Read(sensor.Everything))
		var out bytes.Buffer
		if err := (jsonView{streams{Out: &out}}).readings(time.Now(), []watched{w}); err != nil {
			t.Fatal(err)
		}
		if cells := w.cells(); cells[3] != step.want || shown[3].title != "J" || !strings.Contains(out.String(), `"watched_energy":`+step.want+",") {
			t.Errorf("counter %s: %q, want %s\n%s", step.counter, cells, step.want, out.String())
		}
	}
	if w := none.row(result.Device{}, sensors.Devices[1].Read(sensor.Everything)); w.cells()[3] != "" || w.joules != nil {
		t.Errorf("%+v", w)
	}
}

// Looking for devices again and again leaves no file open, and numbers devices as
// `amgpu devices` does.
func TestListingHoldsNothing(t *testing.T) {
	files := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	pool, before := poolFlags{software: "2", devices: []string{"1"}}, 0
	for n := range 6 {
		devices, err := pool.list()
		if err != nil || len(devices) != 1 || devices[0].Index != 1 {
			t.Fatalf("%+v, %v", devices, err)
		}
		if n == 1 {
			before = files()
		}
	}
	if after := files(); after > before {
		t.Errorf("%d open files, %d before", after, before)
	}
}
