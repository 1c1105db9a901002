package cmd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk/sensor"
)

const (
	// watchEvery is how often sensors are shown.
	watchEvery = time.Second
	// listEvery is how often devices are looked for.
	listEvery = 5 * time.Second
)

// deviceWatch shows what the sensors of the pool say, and which devices come and go.
type deviceWatch struct {
	list         func() ([]result.Device, error) // numbered as `amgpu devices` does
	open         func([]sensor.Identity) *sensor.Set
	every, again time.Duration
	view         watchView
	devices      []result.Device
	set          *sensor.Set
	meters       map[string]*meter // by identity
	trouble      string            // of the last list
}

// watchView shows readings and what happened to devices.
type watchView interface {
	readings(at time.Time, rows []watched) error
	happened(e watchEvent) error
}

// watchEvent is a device that came or is gone, or a list that could not be made.
type watchEvent struct {
	at     time.Time
	what   string // came, gone, error
	device result.Device
	text   string // of an error
}

// watchDevices prints what the sensors of the pool say until the context ends.
func watchDevices(ctx context.Context, s streams, pool poolFlags, asJSON bool) error {
	w := &deviceWatch{list: pool.list, open: sensor.System{}.Open, every: watchEvery, again: listEvery, view: &lineView{s: s}}
	switch {
	case asJSON:
		w.view = jsonView{s}
	case terminal(s.Out):
		w.view = &screenView{s: s}
	}
	return w.run(ctx)
}

// list looks which devices make the pool now. The Vulkan instance is closed again: looking
// must not hold a device.
func (p poolFlags) list() ([]result.Device, error) {
	r, err := p.openRig()
	if err != nil {
		return nil, err
	}
	adapters, devices, err := r.pool(p)
	for i := range devices {
		devices[i].Index = adapters[i].Info().Index
	}
	if closing := r.close(); err == nil {
		err = closing
	}
	return devices, err
}

// identity tells devices apart: a UUID alone may be that of a model.
func identity(d result.Device) string { return d.UUID + " " + d.PCI }

func (w *deviceWatch) run(ctx context.Context) error {
	found, err := w.list()
	if err != nil {
		return err
	}
	w.meters = map[string]*meter{}
	w.adopt(found)
	defer func() { w.set.Close() }()
	if !w.set.Any() {
		return &exitError{code: codeNoGPU, err: fmt.Errorf("none of the chosen devices has sensors that can be read%s", prefixed(": ", w.set.Note)),
			hint: "NVIDIA cards need libnvidia-ml.so.1 of their driver, AMD cards the amdgpu and Intel cards the xe kernel driver; software devices have none"}
	}
	type listing struct {
		devices []result.Device
		err     error
	}
	lists, looking := make(chan listing, 1), false
	tick, again := time.NewTicker(w.every), time.NewTicker(w.again)
	defer tick.Stop()
	defer again.Stop()
	for show := true; ; {
		if show {
			if err := w.read(); err != nil {
				return err
			}
		}
		show = false
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
			show = true
		case <-again.C:
			if looking { // drivers may take long when a device goes
				continue
			}
			looking = true
			go func() {
				devices, err := w.list()
				lists <- listing{devices, err}
			}()
		case l := <-lists:
			looking = false
			if err := w.compare(l.devices, l.err); err != nil {
				return err
			}
		}
	}
}

// adopt opens the sensors of these devices, in place of those before.
func (w *deviceWatch) adopt(devices []result.Device) {
	w.set.Close()
	ids := make([]sensor.Identity, len(devices))
	some := false
	for i, d := range devices {
		if !d.Software {
			ids[i], some = sensor.Identity{UUID: d.UUID, PCI: d.PCI}, true
		}
	}
	w.devices = devices
	if w.set = sensor.None(len(ids)); some {
		w.set = w.open(ids)
	}
}

// compare tells what came and what is gone. A pool that is empty now is no error: its
// devices may come back.
func (w *deviceWatch) compare(now []result.Device, err error) error {
	at := time.Now()
	if code := codeFor(err); err != nil && code != codeNoGPU && code != codeUsage {
		if w.trouble == err.Error() {
			return nil
		}
		w.trouble = err.Error()
		return w.view.happened(watchEvent{at: at, what: "error", text: "cannot look for devices: " + err.Error()})
	}
	w.trouble = ""
	var events []watchEvent
	for _, side := range []struct {
		what      string
		from, not []result.Device
	}{{"gone", w.devices, now}, {"came", now, w.devices}} {
		for _, d := range side.from {
			if !slices.ContainsFunc(side.not, func(o result.Device) bool { return identity(o) == identity(d) }) {
				events = append(events, watchEvent{at: at, what: side.what, device: d})
			}
		}
	}
	if len(events) == 0 {
		return nil
	}
	w.adopt(now)
	for _, e := range events {
		if err := w.view.happened(e); err != nil {
			return err
		}
	}
	return nil
}

// read shows what the sensors say now.
func (w *deviceWatch) read() error {
	at, rows := time.Now(), make([]watched, len(w.devices))
	for i, d := range w.devices {
		m := w.meters[identity(d)]
		if m == nil {
			m = &meter{}
			w.meters[identity(d)] = m
		}
		rows[i] = m.row(d, w.set.Devices[i].Read(sensor.Everything))
	}
	return w.view.readings(at, rows)
}
