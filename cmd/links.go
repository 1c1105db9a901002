package cmd

import (
	"context"
	"fmt"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
	"github.com/amgpu/amgpu/vk/sensor"
)

// placeJSON is where a device sits, in `devices --json`.
type placeJSON struct {
	Sensors string           `json:"sensors,omitempty"` // nvml, amdgpu, xe; absent: none can be read
	Socket  *int             `json:"socket,omitempty"`
	PCIe    *result.PCIeLink `json:"pcie,omitempty"`     // as trained now: idle devices may lower it
	MaxPCIe *result.PCIeLink `json:"max_pcie,omitempty"` // what the device could do
}

// openSensors opens the sensors of devices. Software devices have none, those of other
// processes may be in other machines, and for these alone no library is opened.
func openSensors(adapters []*vk.Adapter) *sensor.Set {
	ids := make([]sensor.Identity, len(adapters))
	some := false
	for i, a := range adapters {
		if info := a.Info(); !info.Software() && !a.Absent() {
			ids[i] = sensor.Identity{UUID: info.UUIDString(), PCI: info.PCI}
			some = true
		}
	}
	if !some {
		return sensor.None(len(adapters))
	}
	return sensor.System{}.Open(ids)
}

func placeOf(set *sensor.Set, i int) placeJSON {
	p := set.Place(i)
	out := placeJSON{Sensors: set.Devices[i].Source(), PCIe: pcieLink(p.PCIe), MaxPCIe: pcieLink(p.MaxPCIe)}
	if p.Socket >= 0 {
		out.Socket = &p.Socket
	}
	return out
}

// surveyLinks tries and times the links between devices and says how they are wired.
// Links that were found before an error are returned beside it. Devices are named by
// their adapters' indexes.
func surveyLinks(ctx context.Context, adapters []*vk.Adapter) ([]result.Link, error) {
	found, err := peer.Survey(ctx, adapters, peer.Options{}) // always verified anew
	set := openSensors(adapters)
	defer set.Close()
	at := map[int]int{}
	for i, a := range adapters {
		at[a.Info().Index] = i
	}
	links := []result.Link{}
	rated := []sensor.Rated{}
	for _, l := range found {
		link := result.Link{From: l.From, To: l.To, Transport: l.Transport, Verified: l.Verified, Reason: l.Problem, Excluded: l.Excluded}
		if l.Verified {
			link.Bandwidth, link.BothWays, link.Latency = positive(l.Bandwidth), positive(l.BothWays), positive(l.Latency)
		}
		from, to := at[l.From], at[l.To]
		wire := set.Wire(from, to)
		describeWire(&link, wire)
		links = append(links, link)
		rated = append(rated, sensor.Rated{Kind: alike(set, from, to, wire, l.Transport), Bandwidth: l.Bandwidth})
	}
	for i, typical := range sensor.Slow(rated) {
		if typical > 0 {
			links[i].Slow, links[i].Typical = true, &typical
		}
	}
	return links, err
}

// alike names what links must share to be expected equally fast; empty where nothing
// is known of the wire. A slot that came up narrower than it could is to be found, so
// what counts on PCIe is what the devices can do, not what they were trained to.
func alike(set *sensor.Set, from, to int, w sensor.Wire, transport string) string {
	kind := w.Kind()
	if kind == "" || w.NVLink != nil {
		return prefixed(transport+" ", kind)
	}
	a, b := set.Place(from).MaxPCIe, set.Place(to).MaxPCIe
	if b.Bandwidth() < a.Bandwidth() {
		a = b
	}
	return fmt.Sprintf("%s %s %s", transport, kind, a)
}

func describeWire(l *result.Link, w sensor.Wire) {
	l.Kind, l.Distance, l.PCIe = w.Kind(), w.Distance, pcieLink(w.PCIe)
	l.SameNUMA, l.SameSocket = w.SameNUMA, w.SameSocket
	if n := w.NVLink; n != nil {
		l.NVLink = &result.NVLink{Version: n.Version, Links: n.Links, Switched: n.Switched, Bandwidth: n.Bandwidth}
	}
}

func pcieLink(p sensor.PCIe) *result.PCIeLink {
	if p.Bandwidth() == 0 {
		return nil
	}
	return &result.PCIeLink{Generation: p.Generation, Width: p.Width, Bandwidth: p.Bandwidth()}
}

// positive is a pointer to x, or nil where x was not measured.
func positive(x float64) *float64 {
	if x > 0 {
		return &x
	}
	return nil
}

// linkText is what is known of a link, on one line.
func linkText(l result.Link) string {
	text := "no link: " + l.Reason
	if l.Verified {
		text = "verified"
		if l.Reason != "" {
			text += ", not timed: " + l.Reason
		}
	}
	if l.Bandwidth != nil {
		text += fmt.Sprintf(", %.2f GB/s", *l.Bandwidth/1e9)
	}
	if l.Latency != nil {
		text += fmt.Sprintf(", %.1f us", *l.Latency*1e6)
	}
	text += prefixed(", ", l.Kind)
	if l.Slow {
		text += ", slow: " + slowText(l)
	}
	return text
}
