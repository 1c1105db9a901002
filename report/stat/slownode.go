package stat

import (
	"fmt"

	"github.com/amgpu/amgpu/report/result"
)

// slowNodes compares the nodes of a job by the rates of their devices of one model: a node is
// slow if the median of its devices, two at least, lies more than slowerBy below that of the
// devices of all other nodes, beyond the interval of the comparison, and so do more than half
// of them. By node, by how much.
func slowNodes(devices []result.Device, rates map[int][]float64) map[string]string {
	medians, all := map[string][]float64{}, map[string][]float64{}
	for i, xs := range rates {
		if node := devices[i].Node; node != "" {
			medians[node] = append(medians[node], Median(xs))
			all[node] = append(all[node], xs...)
		}
	}
	out := map[string]string{}
	for node, own := range medians {
		var others, peers []float64
		for k := range medians {
			if k != node {
				others, peers = append(others, medians[k]...), append(peers, all[k]...)
			}
		}
		if len(own) < 2 || len(others) == 0 {
			continue
		}
		typical, below := Median(others), 0
		for _, m := range own {
			if m < typical*(1-slowerBy) {
				below++
			}
		}
		share := Median(own) / typical
		if !(share < 1-slowerBy) || 2*below <= len(own) {
			continue
		}
		if v, ok := Ratio(all[node], peers); ok && v.High != nil && *v.High < 1 {
			out[node] = fmt.Sprintf("%d of its %d devices are, their median is %.1f %% below that of the others", below, len(own), 100*(1-share))
		}
	}
	return out
}
