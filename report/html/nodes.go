package html

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/table"
)

// nodeTable lists the machines of an MPI job with their fingerprints; nil for one process.
func nodeTable(res *result.Result) *plain {
	if res.Job == nil {
		return nil
	}
	t := &plain{Label: "Nodes of the job", Columns: append(append(texts("node", "ranks"), numbers("GPUs")...), texts("processor", "kernel", "Vulkan loader", "clocks within", "fingerprint")...)}
	for _, n := range res.Job.Nodes {
		devices := 0
		for _, d := range res.Devices {
			if d.Node == n.Name {
				devices++
			}
		}
		clocks := "-"
		if n.ClockError > 0 {
			clocks = table.Seconds(n.ClockError)
		}
		t.Rows = append(t.Rows, []string{table.Clean(n.Name), strings.ReplaceAll(strings.Trim(fmt.Sprint(n.Ranks), "[]"), " ", ", "), strconv.Itoa(devices),
			table.Clean(fmt.Sprintf("%s, %d cores", n.Host.CPU, n.Host.Cores)), orDash(table.Clean(n.Host.Kernel)), orDash(table.Clean(n.Host.Loader)), clocks, table.Clean(n.Fingerprint)})
	}
	return t
}
