package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk/sensor"
)

// watchEvery is how often sensors are shown.
const watchEvery = time.Second

// watchDevices prints what the sensors of the pool say until the context ends. The
// Vulkan instance is closed before: looking must not hold a device.
func watchDevices(ctx context.Context, s streams, pool poolFlags, asJSON bool) error {
	r, err := pool.openRig()
	if err != nil {
		return err
	}
	adapters, devices, err := r.pool(pool)
	if err != nil {
		return errors.Join(err, r.close())
	}
	set := openSensors(adapters)
	defer set.Close()
	if err := r.close(); err != nil {
		return err
	}
	if !set.Any() {
		return &exitError{code: codeNoGPU, err: fmt.Errorf("none of the chosen devices has sensors that can be read%s", prefixed(": ", set.Note)),
			hint: "NVIDIA cards need libnvidia-ml.so.1 of their driver, AMD cards the amdgpu and Intel cards the xe kernel driver; software devices have none"}
	}
	view := &sensorView{s: s, devices: devices, before: make([]sensor.Reading, len(devices))}
	show := view.lines
	switch {
	case asJSON:
		show = jsonView(s, devices)
	case terminal(s.Out):
		show = view.screen
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		readings := make([]sensor.Reading, len(devices))
		for i, d := range set.Devices {
			readings[i] = d.Read(sensor.Everything)
		}
		if err := show(readings); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// sensorView prints readings for people; it remembers the last ones, because counters
// are shown as rates.
type sensorView struct {
	s       streams
	devices []result.Device
	before  []sensor.Reading
}

// shown are the columns, each with its unit's scale.
var shown = []struct {
	q      sensor.Quantity
	title  string
	scale  float64
	digits int
	rate   bool // of a counter
}{
	{sensor.SMClock, "SM MHz", 1e-6, 0, false}, {sensor.MemoryClock, "mem MHz", 1e-6, 0, false},
	{sensor.Power, "W", 1, 1, false}, {sensor.Temperature, "C", 1, 0, false},
	{sensor.Utilization, "util %", 100, 0, false}, {sensor.MemoryUtilization, "mem %", 100, 0, false}, {sensor.MemoryUsed, "GiB", 1.0 / (1 << 30), 2, false},
	{sensor.PCIeSent, "PCIe out GB/s", 1e-9, 2, true}, {sensor.PCIeReceived, "PCIe in GB/s", 1e-9, 2, true},
	{sensor.NVLinkSent, "NVLink out GB/s", 1e-9, 2, true}, {sensor.NVLinkReceived, "NVLink in GB/s", 1e-9, 2, true},
	{sensor.XidErrors, "Xid errors", 1, 0, false},
}

// cells are the values of one device, absent ones empty, and its throttle reasons.
func (v *sensorView) cells(i int, now sensor.Reading) []string {
	var out []string
	for _, c := range shown {
		x, ok := now.Value(c.q)
		if c.rate {
			was, had := v.before[i].Value(c.q)
			seconds := now.At.Sub(v.before[i].At).Seconds()
			x, ok = (x-was)/seconds, ok && had && seconds > 0 && x >= was
		}
		text := ""
		if ok {
			text = fmt.Sprintf("%.*f", c.digits, x*c.scale)
		}
		out = append(out, text)
	}
	reasons, _ := now.Throttle()
	v.before[i] = now
	return append(out, reasons.String())
}

// lines prints one line a device, for files and pipes.
func (v *sensorView) lines(readings []sensor.Reading) error {
	for i, r := range readings {
		parts := []string{r.At.UTC().Format(time.RFC3339), fmt.Sprintf("device %d", v.devices[i].Index)}
		cells := v.cells(i, r)
		for k, c := range shown {
			if cells[k] != "" {
				parts = append(parts, fmt.Sprintf("%s %s", cells[k], c.title))
			}
		}
		if reasons := cells[len(shown)]; reasons != "" {
			parts = append(parts, "held down by "+reasons)
		}
		if _, err := fmt.Fprintln(v.s.Out, strings.Join(parts, "  ")); err != nil {
			return err
		}
	}
	return nil
}

// screen draws the table anew.
func (v *sensorView) screen(readings []sensor.Reading) error {
	var b strings.Builder
	b.WriteString("\x1b[H\x1b[J")
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	head := []string{"GPU"}
	for _, c := range shown {
		head = append(head, c.title)
	}
	_, _ = fmt.Fprintln(t, strings.Join(append(head, "held down by", "name"), "\t")) // a Builder does not fail
	for i, r := range readings {
		line := []string{fmt.Sprint(v.devices[i].Index)}
		for _, c := range v.cells(i, r) {
			line = append(line, dash(c))
		}
		_, _ = fmt.Fprintln(t, strings.Join(append(line, v.devices[i].Name), "\t"))
	}
	_ = t.Flush()
	b.WriteString("\nCtrl-C ends\n")
	_, err := fmt.Fprint(v.s.Out, b.String())
	return err
}

// jsonView prints one document a second, each on its own line, in base units.
func jsonView(s streams, devices []result.Device) func([]sensor.Reading) error {
	type device struct {
		Index    int                `json:"index"`
		Values   map[string]float64 `json:"values"`
		Throttle []string           `json:"throttle"` // null: not known
	}
	return func(readings []sensor.Reading) error {
		doc := struct {
			Time    time.Time `json:"time"`
			Devices []device  `json:"devices"`
		}{Time: readings[0].At.UTC()}
		for i, r := range readings {
			d := device{Index: devices[i].Index, Values: map[string]float64{}}
			for _, q := range sensor.Quantities() {
				if v, ok := r.Value(q); ok {
					d.Values[q.String()] = v
				}
			}
			if reasons, ok := r.Throttle(); ok {
				d.Throttle = append([]string{}, reasons.Names()...)
			}
			doc.Devices = append(doc.Devices, d)
		}
		return json.NewEncoder(s.Out).Encode(doc)
	}
}
