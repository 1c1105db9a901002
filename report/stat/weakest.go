package stat

import (
	"cmp"
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// Weakest names the slowest node, device and link of a result, each with its share of what
// is usual among its peers; a share of 0: there are no peers, or nothing is known of them.
type Weakest struct {
	Node        string
	NodeShare   float64
	Device      int
	DeviceShare float64
	Link        *result.Link
	LinkShare   float64
}

// WeakestOf compares devices of one model by their rates alone, where none was measured alone
// by how fast each computed its share in a team; nodes by the median of their devices; and
// links of one transport and kind by their bandwidth one way. It names the last of each and
// says nothing about whether it is slow: that is what warnings are for.
func WeakestOf(res *result.Result) Weakest {
	w := Weakest{Device: -1}
	shares := standings(res)
	byNode := map[string][]float64{}
	for i, d := range res.Devices {
		share, known := shares[i]
		if !known {
			continue
		}
		if w.DeviceShare == 0 || share < w.DeviceShare {
			w.Device, w.DeviceShare = i, share
		}
		if d.Node != "" {
			byNode[d.Node] = append(byNode[d.Node], share)
		}
	}
	if len(byNode) > 1 {
		for node, list := range byNode {
			if m := Median(list); w.NodeShare == 0 || cmp.Or(cmp.Compare(m, w.NodeShare), cmp.Compare(node, w.Node)) < 0 {
				w.Node, w.NodeShare = node, m
			}
		}
	}
	w.Link, w.LinkShare = weakestLink(res.Links)
	return w
}

// standings are, by device, the median over problems of its rate over the median of its peers'.
func standings(res *result.Result) map[int]float64 {
	type problem struct {
		soloKey
		model modelOf
	}
	alone := map[problem]map[int][]float64{}
	var teams []map[int]float64 // rates of the devices of one model in one launch
	for i := range res.Trials {
		t := &res.Trials[i]
		l, ok := newLaunch(t)
		if !ok || t.Status != result.OK && t.Status != result.Throttled {
			continue
		}
		if t.Count == 1 && len(t.Devices) == 1 {
			p := problem{soloOf(t.Key), modelAt(res, t.Devices[0])}
			if alone[p] == nil {
				alone[p] = map[int][]float64{}
			}
			alone[p][t.Devices[0]] = append(alone[p][t.Devices[0]], l.rate())
			continue
		}
		byModel := map[modelOf]map[int]float64{}
		for device, rate := range computed(t) {
			m := modelAt(res, device)
			if byModel[m] == nil {
				byModel[m] = map[int]float64{}
			}
			byModel[m][device] = rate
		}
		for _, rates := range byModel {
			teams = append(teams, rates)
		}
	}
	var peers []map[int]float64
	for _, rates := range alone {
		one := map[int]float64{}
		for device, xs := range rates {
			one[device] = Median(xs)
		}
		peers = append(peers, one)
	}
	if !slices.ContainsFunc(peers, func(m map[int]float64) bool { return len(m) > 1 }) {
		peers = teams
	}
	all := map[int][]float64{}
	for _, rates := range peers {
		var xs []float64
		for _, x := range rates {
			xs = append(xs, x)
		}
		if len(xs) < 2 {
			continue
		}
		typical := Median(xs)
		for device, x := range rates {
			all[device] = append(all[device], x/typical)
		}
	}
	out := map[int]float64{}
	for device, xs := range all {
		out[device] = Median(xs)
	}
	return out
}

func modelAt(res *result.Result, device int) modelOf {
	if device < 0 || device >= len(res.Devices) {
		return modelOf{}
	}
	d := res.Devices[device]
	return modelOf{d.Name, d.VendorID, d.DeviceID, d.Driver, d.Type}
}

// computed is how many units of its share each device of a team computed in a second;
// empty without device times, and where they do different things.
func computed(t *result.Trial) map[int]float64 {
	if len(t.Shares) != len(t.Devices) || t.Staged {
		return nil
	}
	out := map[int]float64{}
	for at, device := range t.Devices {
		var seconds []float64
		for _, s := range t.Times.All() {
			if at < len(s.Compute) && usable(s.Compute[at]) {
				seconds = append(seconds, s.Compute[at])
			}
		}
		if len(seconds) > 0 && t.Shares[at] > 0 {
			out[device] = float64(t.Shares[at]) / Median(seconds)
		}
	}
	return out
}

// weakestLink is the one with the least of the median bandwidth of the links of its transport
// and kind; nil where no two are alike.
func weakestLink(all []result.Link) (*result.Link, float64) {
	type like struct{ transport, kind string }
	groups := map[like][]float64{}
	for _, l := range all {
		if l.Bandwidth != nil && usable(*l.Bandwidth) {
			k := like{l.Transport, l.Kind}
			groups[k] = append(groups[k], *l.Bandwidth)
		}
	}
	var worst *result.Link
	least := 0.0
	for i := range all {
		l := &all[i]
		peers := groups[like{l.Transport, l.Kind}]
		if l.Bandwidth == nil || !usable(*l.Bandwidth) || len(peers) < 2 {
			continue
		}
		if share := *l.Bandwidth / Median(peers); worst == nil || share < least {
			worst, least = l, share
		}
	}
	return worst, least
}
