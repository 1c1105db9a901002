package cmd

import (
	"fmt"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/scale"
)

// reported tells what drivers report of the devices of a team; nil without sensors.
func (w *watch) reported() func(team []int) []scale.Reported {
	if w.set == nil || !w.set.Any() {
		return nil
	}
	return func(team []int) (out []scale.Reported) {
		for _, at := range team {
			for _, n := range w.set.Devices[at].Xids() {
				out = append(out, scale.Reported{Device: at, Xid: n})
			}
		}
		return out
	}
}

// late is what drivers reported of a device when its last launch was over.
func (w *watch) late() (out []result.Warning) {
	if w.set == nil {
		return nil
	}
	for at, d := range w.set.Devices {
		if numbers := d.Xids(); numbers != nil {
			out = append(out, result.Warning{Code: scale.XidCode, Text: fmt.Sprintf("%s on device %d, reported after its last launch", scale.XidText(numbers), at)})
		}
	}
	return out
}
