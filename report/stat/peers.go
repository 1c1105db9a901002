package stat

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// slowerBy is the distance from the median of its peers from which a device is
// called slow.
const slowerBy = 0.05

// modelOf is what devices of one kind have in common.
type modelOf struct {
	name             string
	vendorID, model  uint32
	driver, hostType string
}

// slowDevices names the devices whose solo rate lies more than slowerBy below the
// median of the devices of the same model, and below it beyond the interval of the
// comparison. Solo rows and one-device launches count, each as one launch.
func slowDevices(res *result.Result, all []*series) []result.Warning {
	type problem struct {
		soloKey
		model modelOf
	}
	rates := map[problem]map[int][]float64{}
	var order []problem
	for _, s := range all {
		for _, c := range s.cells {
			for _, l := range c.launches {
				if c.count != 1 || len(l.trial.Devices) != 1 {
					continue
				}
				i := l.trial.Devices[0]
				if i >= len(res.Devices) {
					continue
				}
				p := problem{soloOf(s.key), modelAt(res, i)}
				if rates[p] == nil {
					rates[p] = map[int][]float64{}
					order = append(order, p)
				}
				rates[p][i] = append(rates[p][i], l.rate())
			}
		}
	}
	found := map[int][]string{}
	nodes := map[string][]string{}
	for _, p := range order {
		for node, text := range slowNodes(res.Devices, rates[p]) {
			nodes[node] = append(nodes[node], fmt.Sprintf("%s on %s", text, p.workload))
		}
		for i, text := range slow(rates[p]) {
			found[i] = append(found[i], fmt.Sprintf("%s on %s", text, p.workload))
		}
	}
	var out []result.Warning
	for i, d := range res.Devices {
		if len(found[i]) == 0 {
			continue
		}
		name := fmt.Sprintf("device %d (%s", i, d.Name)
		if d.PCI != "" {
			name += ", PCI " + d.PCI
		}
		if d.Node != "" {
			name += ", on " + d.Node
		}
		slices.Sort(found[i])
		out = append(out, result.Warning{Code: "slow-device",
			Text: name + ") alone is slower than its peers: " + strings.Join(slices.Compact(found[i]), ", ")})
	}
	for _, node := range slices.Sorted(maps.Keys(nodes)) {
		slices.Sort(nodes[node])
		out = append(out, result.Warning{Code: "slow-node",
			Text: "node " + node + " is slower than its peers: " + strings.Join(slices.Compact(nodes[node]), ", ")})
	}
	return out
}

// slow compares the rates of devices of one model; by device, by how much.
func slow(rates map[int][]float64) map[int]string {
	if len(rates) < 2 {
		return nil
	}
	var medians []float64
	for _, xs := range rates {
		medians = append(medians, Median(xs))
	}
	typical := Median(medians)
	out := map[int]string{}
	for i, own := range rates {
		share := Median(own) / typical
		if !(share < 1-slowerBy) {
			continue
		}
		var peers []float64
		for k, xs := range rates {
			if k != i {
				peers = append(peers, xs...)
			}
		}
		if v, ok := Ratio(own, peers); ok && v.High != nil && *v.High < 1 {
			out[i] = fmt.Sprintf("%.1f %% below the median of %d", 100*(1-share), len(rates))
		}
	}
	return out
}
