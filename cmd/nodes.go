package cmd

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/suites/cluster"
	"github.com/amgpu/amgpu/suites/scale"
)

// nodeName is what this machine is called.
func nodeName() string {
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}

// nodesOf lists the devices of each node of a job, nodes in the order of their first device;
// without a job there is none.
func nodesOf(devices []result.Device) (names []string, members [][]int) {
	for i, d := range devices {
		if d.Node == "" {
			continue
		}
		at := slices.Index(names, d.Node)
		if at < 0 {
			at = len(names)
			names, members = append(names, d.Node), append(members, nil)
		}
		members[at] = append(members[at], i)
	}
	return names, members
}

// layoutOf is how many devices the nodes of a job have, the most first, such as 4+4+2.
func layoutOf(devices []result.Device) string {
	_, members := nodesOf(devices)
	var sizes []int
	for _, m := range members {
		sizes = append(sizes, len(m))
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(sizes), "[]"), " ", "+")
}

// wholeNodes adds the counts of --nodes to a sweep: those of the devices of that many nodes,
// which must have equally many.
func (o *options) wholeNodes(c *scale.Config) error {
	names, members := nodesOf(c.Pool)
	var list []string
	equal := true
	for i, n := range names {
		list = append(list, fmt.Sprintf("%s with %s", n, plural(len(members[i]), "device", "devices")))
		equal = equal && len(members[i]) == len(members[0])
	}
	counts, err := parseCounts(o.nodes, len(names))
	if err != nil {
		return usage("--nodes %s: %w; the nodes of this job are: %s", o.nodes, err, strings.Join(list, ", "))
	}
	if !equal {
		return usage("--nodes %s: the nodes have unequally many devices: %s; let --max-devices or the launcher make them equal, or use --gpus", o.nodes, strings.Join(list, ", "))
	}
	c.Groups, c.Whole = members, counts
	for _, n := range counts {
		c.Counts = append(c.Counts, n*len(members[0]))
	}
	slices.Sort(c.Counts)
	c.Counts = slices.Compact(c.Counts)
	return nil
}

// wholeText says of how many whole nodes a count is, if it is.
func wholeText(c scale.Config, count int) string {
	if len(c.Groups) == 0 || count%len(c.Groups[0]) != 0 || !slices.Contains(c.Whole, count/len(c.Groups[0])) {
		return ""
	}
	return fmt.Sprintf(" (%s)", plural(count/len(c.Groups[0]), "node", "nodes"))
}

// described is the job as a result stores it.
func (j *job) described(devices []result.Device) *result.Job {
	if j == nil {
		return nil
	}
	out := &result.Job{Library: cluster.Library()}
	for rank, d := range j.rank.Ranks() {
		at := slices.IndexFunc(out.Nodes, func(n result.Node) bool { return n.Name == d.Node })
		if at < 0 {
			at = len(out.Nodes)
			out.Nodes = append(out.Nodes, result.Node{Name: d.Node, Host: d.Host})
		}
		out.Nodes[at].Ranks = append(out.Nodes[at].Ranks, rank)
	}
	for i := range out.Nodes {
		n := &out.Nodes[i]
		n.Fingerprint = condensed(models(slices.DeleteFunc(slices.Clone(devices), func(d result.Device) bool { return d.Node != n.Name })))
	}
	return out
}

// clockErrors notes in a result's job how well the clocks of its nodes were known.
func (j *job) clockErrors(to *result.Job) {
	if j == nil || to == nil {
		return
	}
	for i := range to.Nodes {
		n := &to.Nodes[i]
		for _, rank := range n.Ranks {
			n.ClockError = max(n.ClockError, j.rank.ClockError(rank))
		}
	}
}

// clockDoubt is the share of a sample's time from which on the error of clocks is a doubt.
const clockDoubt = 0.01

// clockError notes in a trial over several ranks how far their clocks may have been apart.
func (s *session) clockError(t *result.Trial) {
	c, ok := s.launched.(*cluster.Session)
	if !ok {
		return
	}
	t.ClockError = c.ClockError()
	whole := stat.Median(t.Samples) * float64(max(t.Reps, 1))
	if t.ClockError > clockDoubt*whole {
		t.Warnings = append(t.Warnings, result.Warning{Code: "clock-error", Text: fmt.Sprintf(
			"the clocks of the ranks are known within %.2g us, %.0f %% of a sample: its time is that uncertain", 1e6*t.ClockError, 100*t.ClockError/whole)})
	}
}
