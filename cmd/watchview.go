package cmd

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/amgpu/amgpu/vk/sensor"
)

func (e watchEvent) String() string {
	text := e.at.UTC().Format(time.RFC3339) + "  "
	d := e.device
	switch e.what {
	case "came":
		return text + fmt.Sprintf("device %d came: %s, uuid %s%s", d.Index, d.Name, d.UUID, prefixed(", pci ", d.PCI))
	case "gone":
		return text + fmt.Sprintf("device %d is gone: %s, uuid %s%s", d.Index, d.Name, d.UUID, prefixed(", pci ", d.PCI))
	}
	return text + e.text
}

// lineView prints one line a device and event, for files and pipes.
type lineView struct{ s streams }

func (v *lineView) happened(e watchEvent) error {
	_, err := fmt.Fprintln(v.s.Out, e)
	return err
}

func (v *lineView) readings(_ time.Time, rows []watched) error {
	for i := range rows {
		r := &rows[i]
		parts := []string{r.now.At.UTC().Format(time.RFC3339), fmt.Sprintf("device %d", r.device.Index)}
		cells := r.cells()
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

// screenView draws the table anew, with the last events below it.
type screenView struct {
	s      streams
	events []watchEvent
}

const mostEvents = 8

func (v *screenView) happened(e watchEvent) error {
	v.events = append(v.events, e)
	v.events = slices.Delete(v.events, 0, max(0, len(v.events)-mostEvents))
	return nil
}

func (v *screenView) readings(_ time.Time, rows []watched) error {
	var b strings.Builder
	b.WriteString("\x1b[H\x1b[J")
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	head := []string{"GPU"}
	for _, c := range shown {
		head = append(head, c.title)
	}
	_, _ = fmt.Fprintln(t, strings.Join(append(head, "held down by", "name"), "\t")) // a Builder does not fail
	for i := range rows {
		line := []string{fmt.Sprint(rows[i].device.Index)}
		for _, c := range rows[i].cells() {
			line = append(line, dash(c))
		}
		_, _ = fmt.Fprintln(t, strings.Join(append(line, rows[i].device.Name), "\t"))
	}
	_ = t.Flush()
	b.WriteString("\n")
	for _, e := range v.events {
		fmt.Fprintln(&b, e)
	}
	b.WriteString("J: since the start. Ctrl-C ends\n")
	_, err := fmt.Fprint(v.s.Out, b.String())
	return err
}

// jsonView prints one document a second and one an event, each on its own line, in base
// units.
type jsonView struct{ s streams }

func (v jsonView) happened(e watchEvent) error {
	type device struct {
		Index int    `json:"index"`
		Name  string `json:"name"`
		UUID  string `json:"uuid"`
		PCI   string `json:"pci,omitempty"`
	}
	doc := struct {
		Time   time.Time `json:"time"`
		Event  string    `json:"event"` // came, gone, error
		Device *device   `json:"device,omitempty"`
		Text   string    `json:"text,omitempty"`
	}{Time: e.at.UTC(), Event: e.what, Text: e.text}
	if d := e.device; e.text == "" {
		doc.Device = &device{d.Index, d.Name, d.UUID, d.PCI}
	}
	return json.NewEncoder(v.s.Out).Encode(doc)
}

func (v jsonView) readings(at time.Time, rows []watched) error {
	type device struct {
		Index    int                `json:"index"`
		Values   map[string]float64 `json:"values"`
		Watched  *float64           `json:"watched_energy,omitempty"` // J since the start of the watch
		Throttle []string           `json:"throttle"`                 // null: not known
	}
	doc := struct {
		Time    time.Time `json:"time"`
		Devices []device  `json:"devices"`
	}{at.UTC(), []device{}}
	for i := range rows {
		r := &rows[i]
		d := device{Index: r.device.Index, Values: map[string]float64{}, Watched: r.joules}
		for _, q := range sensor.Quantities() {
			if v, ok := r.now.Value(q); ok {
				d.Values[q.String()] = v
			}
		}
		if reasons, ok := r.now.Throttle(); ok {
			d.Throttle = append([]string{}, reasons.Names()...)
		}
		doc.Devices = append(doc.Devices, d)
	}
	return json.NewEncoder(v.s.Out).Encode(doc)
}
