package table

import (
	"fmt"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// job says who took part in an MPI job, how well their clocks were known and what was the
// slowest of each kind; empty for one process.
func job(res *result.Result) []Fact {
	if res.Job == nil {
		return nil
	}
	ranks, clocks := 0, 0.0
	for _, n := range res.Job.Nodes {
		ranks += len(n.Ranks)
		clocks = max(clocks, n.ClockError)
	}
	out := []Fact{{"job", fmt.Sprintf("%s, %s, %s", counted(len(res.Job.Nodes), "node"), counted(ranks, "rank"), Clean(res.Job.Library))}}
	if clocks > 0 {
		out = append(out, Fact{"clocks of ranks", "known within " + Seconds(clocks)})
	}
	w := stat.WeakestOf(res)
	if w.NodeShare > 0 {
		out = append(out, Fact{"slowest node", Clean(w.Node) + share(w.NodeShare)})
	}
	if w.DeviceShare > 0 {
		out = append(out, Fact{"slowest GPU", place(res, w.Device) + share(w.DeviceShare)})
	}
	if l := w.Link; l != nil {
		text := fmt.Sprintf("%s to %s", place(res, l.From), place(res, l.To))
		out = append(out, Fact{"slowest link", fmt.Sprintf("%s by %s, %s%s", text, Clean(strings.TrimSpace(l.Transport+" "+l.Kind)), Quantity(*l.Bandwidth, "B/s"), share(w.LinkShare))})
	}
	return out
}

func share(of float64) string { return fmt.Sprintf(" (%.2f of the median)", of) }

// place is a device and where it is.
func place(res *result.Result, device int) string {
	if device < 0 || device >= len(res.Devices) || res.Devices[device].Node == "" {
		return fmt.Sprint(device)
	}
	return fmt.Sprintf("%d on %s", device, Clean(res.Devices[device].Node))
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
