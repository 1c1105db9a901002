package cmd

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/sensor"
)

const (
	// telemetryEvery is the interval of --telemetry.
	telemetryEvery = 100 * time.Millisecond
	// idleFor is how long the power of idle devices is measured (measurement.md M32).
	idleFor = 3 * time.Second
	// dearClock is what a reading of a device's clock may cost; where it is dearer it is
	// read with --telemetry only. Dear or not, it never meets a timed region and takes
	// 2 % of a launch at most; this is how long a device may idle at once for it.
	dearClock = 5 * time.Millisecond
)

// watch reads the devices' sensors while a command measures.
type watch struct {
	o       *options
	census  *sensor.Census // processes on GPUs before this one opened any
	set     *sensor.Set
	sampler *sensor.Sampler
	origin  time.Time
	idle    []*float64
	notes   []result.Warning
	tracked *result.Telemetry
	links   []result.Link

	originClock int64                             // origin on CLOCK_MONOTONIC_RAW, which ranks of a job compare
	sensing     map[int]bool                      // other ranks: whether they have sensors
	ask         func(team []int) []scale.Reported // what drivers of other ranks reported; nil: nobody is there to ask
	begin       []sensor.Reading                  // of a rank other than 0, while its devices rest
	turn        sync.Mutex                        // of a rank other than 0: held while a sample is taken
}

// newWatch begins before Vulkan does.
func newWatch(o *options) *watch {
	w := &watch{o: o}
	if o.software == "" {
		w.census = sensor.System{}.Census()
	}
	return w
}

func (w *watch) close() {
	w.end()
	w.set.Close()
	w.census.Close()
}

// open opens the sensors of the pool and notes how its devices are set.
func (w *watch) open(adapters []*vk.Adapter, devices []result.Device) {
	w.set = openSensors(adapters)
	for i, d := range w.set.Devices {
		if adapters[i].Absent() { // its own rank has told
			continue
		}
		p := d.Policy()
		devices[i].PowerLimit, devices[i].ECC = p.PowerLimit, p.ECC
	}
}

// start refuses GPUs that other processes compute on, lets the machine read clocks
// and begins telemetry.
func (w *watch) start(ctx context.Context, m *measurement) error {
	m.findOthers(ctx)
	if m.job == nil && len(w.o.limitsAsked) > 0 {
		read := make([]sensor.Reading, len(w.set.Devices))
		for i, d := range w.set.Devices {
			read[i] = d.Read(1<<sensor.Temperature | 1<<sensor.Power | 1<<sensor.MemoryUsed)
		}
		w.notes = append(w.notes, w.o.limits.blind(w.o.limitsAsked, m.config.Pool, read)...)
	}
	if !w.set.Any() && !w.anyFar() {
		if w.o.telemetry {
			w.notes = append(w.notes, result.Warning{Code: "no-telemetry",
				Text: "no device of the pool has sensors that can be read" + prefixed(": ", w.set.Note)})
		}
		return nil
	}
	for i, d := range w.set.Devices {
		notes, err := inUse(m.config.Pool[i], m.job.strangers(w.census.Others(d)), w.o.force)
		if err != nil {
			return err
		}
		w.notes = append(w.notes, notes...)
	}
	if w.anyFar() {
		w.notes = append(w.notes, result.Warning{Code: "no-clock", Text: "clocks and energy of rows are read of rank 0's devices only: rows with devices of other ranks have none"})
	}
	switch cost := w.set.Cost(sensor.ClockOnly); {
	case !w.set.Any(): // those of other ranks are not read between samples
	case w.o.telemetry || cost < dearClock*time.Duration(len(w.set.Devices)):
		m.machine.sensors = w.set.Devices
	default:
		w.notes = append(w.notes, result.Warning{Code: "no-clock",
			Text: fmt.Sprintf("clocks are not read: one reading takes %v; --telemetry reads them all the same", cost)})
	}
	if w.o.telemetry {
		origin := time.Now()
		idle := idlePower(ctx, w.set)
		m.others(ctx, aboutWatch, nil, w.far)
		w.watchFrom(origin, idle, &m.machine.turn)
	}
	return nil
}

// stop ends telemetry and, if all went well and while the devices are still locked and
// warm, looks at the links between them.
func (w *watch) stop(ctx context.Context, m *measurement, well bool) {
	if w.end(); w.o.telemetry {
		m.gather(ctx)
	}
	if !well || len(m.config.Counts) == 0 || slices.Max(m.config.Counts) < 2 {
		return
	}
	links, note, err := m.links(ctx)
	if err != nil {
		w.notes = append(w.notes, result.Warning{Code: "links", Text: "looking at the links between the devices: " + err.Error()})
	}
	if note != "" {
		w.notes = append(w.notes, result.Warning{Code: "links", Text: note})
	}
	if len(links) > 0 {
		w.links = links
	}
	for _, l := range links {
		if l.Slow {
			w.notes = append(w.notes, result.Warning{Code: "slow-link", Text: fmt.Sprintf("link %s -> %s: %s", m.placed(l.From), m.placed(l.To), slowText(l))})
		}
	}
}

// links are those between the devices of the pool, which results number by their place in
// it; none between software devices of one process.
func (m *measurement) links(ctx context.Context) (links []result.Link, note string, err error) {
	if m.job != nil {
		return m.job.links(ctx, m.machine, m.config.Pool)
	}
	if slices.ContainsFunc(m.config.Pool, func(d result.Device) bool { return d.Software }) {
		return nil, "", nil
	}
	links, err = surveyLinks(ctx, m.adapters)
	at := map[int]int{}
	for i, a := range m.adapters {
		at[a.Info().Index] = i
	}
	for i, l := range links {
		links[i].From, links[i].To = at[l.From], at[l.To]
	}
	return links, "", err
}

// placed is a device of the pool and, in a job, its node.
func (m *measurement) placed(device int) string {
	return fmt.Sprint(device) + prefixed(" on ", m.config.Pool[device].Node)
}

// fill puts what was found into the result.
func (w *watch) fill(res *result.Result) {
	res.Warnings = append(res.Warnings, w.notes...)
	// A resumed sweep keeps what its first part stored, where this one has nothing.
	if w.tracked != nil {
		res.Telemetry = w.tracked
	}
	if w.links != nil {
		res.Links = w.links
	}
	res.Warnings = append(res.Warnings, w.late()...)
}

// rest is the idle guard by temperature; nil without sensors.
func (w *watch) rest() func(context.Context, scale.Cell, time.Duration) {
	if w.set == nil || !w.set.Any() {
		return nil
	}
	return func(ctx context.Context, c scale.Cell, limit time.Duration) {
		var team []*sensor.Device
		for _, i := range c.Devices {
			team = append(team, w.set.Devices[i])
		}
		sensor.Settle(ctx, team, limit)
	}
}

// inUse judges the other processes on a device: one that computes is refused unless
// forced, one that draws, such as a desktop, is warned about.
func inUse(d result.Device, others []sensor.Process, force bool) (notes []result.Warning, err error) {
	for _, p := range others {
		text := fmt.Sprintf("device %d %s is used by %s", d.Index, d.Name, p)
		if p.Memory > 0 {
			text += ", which holds " + gib(p.Memory)
		}
		if p.Compute && !force {
			return nil, &exitError{code: codeNoGPU, err: fmt.Errorf("%s", text),
				hint: fmt.Sprintf("stop it, leave the device out with --exclude %d, or add --force", d.Index)}
		}
		notes = append(notes, result.Warning{Code: "busy", Text: text})
	}
	return notes, nil
}
