package cmd

import (
	"fmt"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk/sensor"
)

// meter remembers what a watched device said before.
type meter struct {
	before sensor.Reading
	joules float64 // since the watch began
	last   float64 // of the energy counter
	counts bool    // there is such a counter
}

// watched is one device at one moment.
type watched struct {
	device      result.Device
	now, before sensor.Reading
	joules      *float64 // since the watch began; nil: no counter
}

// row adds a reading. A counter that begins anew, as when a driver is loaded again, goes on
// from what was counted.
func (m *meter) row(d result.Device, now sensor.Reading) watched {
	w := watched{device: d, now: now, before: m.before}
	m.before = now
	if x, ok := now.Value(sensor.Energy); ok {
		if m.counts && x >= m.last {
			m.joules += x - m.last
		}
		m.last, m.counts = x, true
		joules := m.joules
		w.joules = &joules
	}
	return w
}

// column is one value of a row; false: this device has no such sensor.
type column struct {
	title  string
	digits int
	value  func(w *watched) (float64, bool)
}

// shown are the columns.
var shown = []column{
	{"SM MHz", 0, levelOf(sensor.SMClock, 1e-6)}, {"mem MHz", 0, levelOf(sensor.MemoryClock, 1e-6)},
	{"W", 1, levelOf(sensor.Power, 1)}, {"J", 0, energyOf}, {"C", 0, levelOf(sensor.Temperature, 1)},
	{"util %", 0, levelOf(sensor.Utilization, 100)}, {"mem %", 0, levelOf(sensor.MemoryUtilization, 100)}, {"GiB", 2, levelOf(sensor.MemoryUsed, 1.0/(1<<30))},
	{"PCIe out GB/s", 2, rateOf(sensor.PCIeSent, 1e-9)}, {"PCIe in GB/s", 2, rateOf(sensor.PCIeReceived, 1e-9)},
	{"NVLink out GB/s", 2, rateOf(sensor.NVLinkSent, 1e-9)}, {"NVLink in GB/s", 2, rateOf(sensor.NVLinkReceived, 1e-9)},
	{"Xid errors", 0, levelOf(sensor.XidErrors, 1)},
}

func levelOf(q sensor.Quantity, scale float64) func(*watched) (float64, bool) {
	return func(w *watched) (float64, bool) {
		x, ok := w.now.Value(q)
		return x * scale, ok
	}
}

// rateOf is how much a counter grew a second since the reading before.
func rateOf(q sensor.Quantity, scale float64) func(*watched) (float64, bool) {
	return func(w *watched) (float64, bool) {
		x, ok := w.now.Value(q)
		was, had := w.before.Value(q)
		seconds := w.now.At.Sub(w.before.At).Seconds()
		return (x - was) / seconds * scale, ok && had && seconds > 0 && x >= was
	}
}

func energyOf(w *watched) (float64, bool) {
	if w.joules == nil {
		return 0, false
	}
	return *w.joules, true
}

// cells are the values of one device, absent ones empty, and its throttle reasons.
func (w *watched) cells() []string {
	var out []string
	for _, c := range shown {
		text := ""
		if x, ok := c.value(w); ok {
			text = fmt.Sprintf("%.*f", c.digits, x)
		}
		out = append(out, text)
	}
	reasons, _ := w.now.Throttle()
	return append(out, reasons.String())
}
