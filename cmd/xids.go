package cmd

import (
	"fmt"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/scale"
)

// reported tells what drivers report of the devices of a team; nil without sensors.
func (w *watch) reported() func(team []int) []scale.Reported {
	if w.set == nil || !w.set.Any() && w.ask == nil {
		return nil
	}
	return w.xids
}

// xids are those of devices of the pool since they were asked for last, in a job those of other
// ranks too.
func (w *watch) xids(team []int) (out []scale.Reported) {
	for _, at := range team {
		for _, n := range w.set.Devices[at].Xids() {
			out = append(out, scale.Reported{Device: at, Xid: n})
		}
	}
	if w.ask != nil {
		out = append(out, w.ask(team)...)
	}
	return out
}

// late is what drivers reported of a device when its last launch was over.
func (w *watch) late() (out []result.Warning) {
	if w.set == nil {
		return nil
	}
	var pool []int
	for at := range w.set.Devices {
		pool = append(pool, at)
	}
	numbers := map[int][]uint64{}
	for _, r := range w.xids(pool) {
		numbers[r.Device] = append(numbers[r.Device], r.Xid)
	}
	for _, at := range pool {
		if numbers[at] != nil {
			out = append(out, result.Warning{Code: scale.XidCode, Text: fmt.Sprintf("%s on device %d, reported after its last launch", scale.XidText(numbers[at]), at)})
		}
	}
	return out
}
