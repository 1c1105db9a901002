package cmd

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk/sensor"
)

// A device without sensors shows no value at all, in no form.
func TestAbsentSensorsAreNotShown(t *testing.T) {
	var out bytes.Buffer
	s := streams{Out: &out}
	devices := []result.Device{{Index: 3, Name: "GPU X"}}
	set := sensor.None(1)
	r := set.Devices[0].Read(sensor.Everything)
	r.At = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	view := &sensorView{s: s, devices: devices, before: make([]sensor.Reading, 1)}
	for _, c := range []struct {
		show func([]sensor.Reading) error
		want string
	}{
		{view.lines, "2026-01-02T03:04:05Z  device 3\n"},
		{jsonView(s, devices), `{"time":"2026-01-02T03:04:05Z","devices":[{"index":3,"values":{},"throttle":null}]}` + "\n"},
	} {
		out.Reset()
		if err := c.show([]sensor.Reading{r}); err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("got %q, want %q", out.String(), c.want)
		}
	}
	out.Reset()
	if err := view.screen([]sensor.Reading{r}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "3    -       -") || strings.Contains(out.String(), " 0 ") {
		t.Errorf("screen %q", out.String())
	}
}
