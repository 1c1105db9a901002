package report_test

import (
	"fmt"

	"github.com/amgpu/amgpu/report/result"
)

// overNodes is a job of two nodes with two GPUs each, the second of which is slow, and so is
// one link between them.
func overNodes() *result.Result {
	var devices []result.Device
	for i := range 4 {
		d := h100()
		rank := i / 2
		d.PCI, d.Node, d.Rank = fmt.Sprintf("0000:%02x:00.0", 0x1b+i%2), fmt.Sprintf("node%d", 1+rank), &rank
		devices = append(devices, d)
	}
	m := newMachine("default", devices...)
	m.res.Command = []string{"amgpu-mpi", "scale", "automata/life", "--gpus", "1", "--nodes", "1,2", "-o", "results.json"}
	m.res.Plan.Counts, m.res.Plan.Nodes, m.res.Plan.Modes = []int{1, 2, 4}, []int{1, 2}, []string{"strong"}
	m.res.Job = &result.Job{Library: "Open MPI v4.1.4", Nodes: []result.Node{
		{Name: "node1", Ranks: []int{0}, Host: m.res.Host, Fingerprint: "0badcafe"},
		{Name: "node2", Ranks: []int{1}, Host: m.res.Host, Fingerprint: "0badcafe", ClockError: 2.7e-6},
	}}
	gb := func(v float64) *float64 { v *= 1e9; return &v }
	for from := range 4 {
		for to := range 4 {
			l := result.Link{From: from, To: to, Transport: "cuda", Kind: "NV18", Verified: true, Bandwidth: gb(380)}
			switch {
			case from == to || from/2 != to/2 && from%2 != to%2:
				continue
			case from/2 != to/2:
				l.Transport, l.Kind, l.Bandwidth = "mpi", "NET", gb(23)
			}
			if from == 1 && to == 3 {
				l.Bandwidth, l.Slow, l.Typical = gb(11), true, gb(23)
			}
			m.res.Links = append(m.res.Links, l)
		}
	}
	j := job{"automata/life", "cell", 1 << 30, 0.0081, 1.07e9, 0.004, 0.015, true}
	speed := []float64{1, 1, 0.9, 0.88}
	for block := range 7 {
		for d := range 4 {
			m.launch(j, "strong", block, []int{d}, speed)
		}
		first := block % 2 * 2
		m.launch(j, "strong", block, []int{first, first + 1}, speed)
		t := m.launch(j, "strong", block, []int{0, 1, 2, 3}, speed)
		t.Via, t.ClockError = "mpi", 2.7e-6
	}
	return m.res
}
