package cmd

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/scale"
)

// forecastFlags ask what more nodes would bring.
type forecastFlags struct{ predictNodes, network string }

// forecasts are they, once read.
type forecasts struct {
	nodes   []int
	network *stat.Level // between nodes, as given; nil: to be measured by a job
}

// networkDoubt is the half width of the interval of costs that were given, as a share.
const networkDoubt = 0.25

func (f *forecastFlags) read() (out forecasts, err error) {
	for _, part := range list(f.predictNodes) {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > 1<<16 {
			return out, usage("--predict-nodes %q: use whole numbers of nodes, such as 8,64", part)
		}
		out.nodes = append(out.nodes, n)
	}
	if f.network != "" {
		latency, bandwidth, ok := strings.Cut(f.network, ",")
		l, wrong := parseSeconds(strings.TrimSpace(latency))
		b, bad := parseBytes(strings.TrimSuffix(strings.TrimSpace(bandwidth), "/s"))
		if !ok || wrong != nil || bad != nil {
			return out, usage("--network %q: use a latency and a bandwidth between nodes, such as 2us,25GB/s", f.network)
		}
		out.network = &stat.Level{Latency: l.Seconds(), Bandwidth: float64(b), Doubt: networkDoubt}
	}
	return out, nil
}

// check says what is wrong with the flags beside each other.
func (f forecasts) check(inJob bool) error {
	switch {
	case len(f.nodes) == 0 && f.network != nil:
		return usage("--network without --predict-nodes: name the numbers of nodes")
	case slices.ContainsFunc(f.nodes, func(n int) bool { return n > 1 }) && f.network == nil && !inJob:
		return usage("--predict-nodes: what lies between the nodes is not known: give --network LATENCY,BANDWIDTH, such as 2us,25GB/s, or start amgpu-mpi on two nodes")
	}
	return nil
}

// perNode is the number of devices of a node, and what a node is: a machine, or a rank where
// all are on one machine.
func (m *measurement) perNode() (n int, what string) {
	if m.job == nil {
		return len(m.adapters), "node"
	}
	byNode, byRank := map[string]int{}, map[int]int{}
	for _, rank := range m.job.home {
		byNode[m.job.rank.Ranks()[rank].Node]++
		byRank[rank]++
	}
	if len(byNode) == 1 && len(byRank) > 1 {
		return byRank[0], "rank"
	}
	return byNode[m.job.rank.Ranks()[0].Node], "node"
}

// forecast adds to a result what the cost model expects of every series.
func (m *measurement) forecast(res *result.Result) {
	ask := m.o.forecasts
	if len(ask.nodes) == 0 {
		return
	}
	perNode, what := m.perNode()
	c := costs{m: m, res: res, perNode: perNode}
	inside, measured := c.fit(true, stat.Level{})
	between, basis := stat.Level{}, "given network"
	if ask.network != nil {
		between = *ask.network
	} else if l, ok := c.fit(false, inside); ok {
		between, basis = l, "network between "+what+"s fitted on this job"
	} else {
		basis = ""
	}
	if !measured {
		inside = stat.Level{Bandwidth: math.Inf(1)} // nothing crosses within a node of one device
	}
	for _, base := range res.Summary {
		if base.Count != 1 || base.Seconds == nil || base.Mode == scale.Solo {
			continue
		}
		for _, nodes := range ask.nodes {
			f := result.Forecast{Key: base.Key, Nodes: nodes, Count: nodes * perNode}
			switch model, err := c.model(base, inside, between); {
			case err != nil:
				f.Reason = err.Error()
			case nodes > 1 && basis == "":
				f.Reason = "no row of this job crosses from one " + what + " to another: measure a workload that communicates, or give --network"
			default:
				if got, err := model.At(nodes); err != nil {
					f.Reason = err.Error()
				} else {
					got.Key, got.Basis = base.Key, basis
					f = got
				}
			}
			res.Forecasts = append(res.Forecasts, f)
		}
	}
}

// costs finds what the rows of a result say of the cost model.
type costs struct {
	m       *measurement
	res     *result.Result
	perNode int
}

// item is the workload of a row.
func (c *costs) item(k result.Key) (scale.Item, bool) {
	for _, cell := range c.m.cells {
		if cell.Workload == k.Workload && cell.Size == k.Size && cell.Split == k.Split && cell.Algorithm == k.Algorithm {
			return cell.Item, true
		}
	}
	return scale.Item{}, false
}

// program is that of a row on a number of devices.
func (c *costs) program(k result.Key, devices int) (*program.Program, error) {
	item, ok := c.item(k)
	if !ok {
		return nil, fmt.Errorf("%s is not among the workloads measured", k.Workload)
	}
	b := suites.Build{
		Size: k.Size.N, Base: k.Size.N, Weak: k.Mode == scale.Weak, Label: k.Size.Label, Count: devices, Seed: c.m.config.Seed, Params: item.Params,
		Split: item.Split, Algorithm: item.Algorithm, Input: item.Input, Limits: c.m.machine.limits, Divide: equally(devices),
	}
	if b.Weak {
		b.Size *= int64(devices)
		if w, ok := item.Workload.(suites.WeakSizer); ok {
			b.Size = w.WeakSize(k.Size.N, devices)
		}
	}
	p, err := item.Workload.Build(b)
	if err != nil {
		return nil, fmt.Errorf("%d GPUs: %w", devices, err)
	}
	return p, nil
}

// largest is the share of the whole work that the device with most of it has.
func largest(p *program.Program) float64 {
	var most, all int64
	for i := range p.Shares {
		n := p.Load(i)
		most, all = max(most, n), all+n
	}
	return float64(most) / float64(max(all, 1))
}

// critical is the median of what the devices of a row computed on the critical path, seconds
// of an iteration; ok is false without device times.
func (c *costs) critical(k result.Key, count int) (seconds float64, ok bool) {
	var launches []float64
	for i := range c.res.Trials {
		t := &c.res.Trials[i]
		if t.Key != k || t.Count != count || t.Status != result.OK || t.Times.Len() == 0 {
			continue
		}
		var list []float64
		for _, s := range t.Times.All() {
			list = append(list, s.Critical)
		}
		launches = append(launches, stat.Median(list))
	}
	if len(launches) == 0 {
		return 0, false
	}
	return stat.Median(launches), true
}

// fit finds the costs within a node, or, with those, between nodes.
func (c *costs) fit(within bool, inside stat.Level) (stat.Level, bool) {
	var list []stat.Exchanged
	for _, row := range c.res.Summary {
		if row.Count < 2 || row.Seconds == nil || row.Mode == scale.Solo || within != (row.Count <= c.perNode) {
			continue
		}
		critical, ok := c.critical(row.Key, row.Count)
		p, err := c.program(row.Key, row.Count)
		if !ok || err != nil {
			continue
		}
		steps := program.TrafficOf(p, c.perNode)
		if len(steps) == 0 {
			continue
		}
		x := stat.Exchanged{Seconds: row.Seconds.Median - critical}
		for _, t := range steps {
			x.HandOvers += t.HandOvers
			if within {
				x.Bytes += t.Inside
			} else {
				x.Bytes += t.Between
				x.Seconds -= t.HandOvers * inside.Latency
				if inside.Bandwidth > 0 {
					x.Seconds -= t.Inside / inside.Bandwidth
				}
			}
		}
		list = append(list, x)
	}
	return stat.FitLevel(list)
}

// model is the cost model of a series, from its row of one device.
func (c *costs) model(base result.Summary, inside, between stat.Level) (stat.Nodes, error) {
	m := stat.Nodes{Compute: base.Seconds.Median, Alone: base.Seconds.Median, Weak: base.Mode == scale.Weak, PerNode: c.perNode, Inside: inside, Between: between, ComputeDoubt: -1}
	if r := base.Rate; r != nil && r.Low != nil && r.High != nil && r.Value > 0 {
		m.ComputeDoubt = (*r.High - *r.Low) / 2 / r.Value
	}
	// What smaller parts lose in computing at the largest count measured, they lose on.
	most := 1
	for _, row := range c.res.Summary {
		if critical, ok := c.critical(row.Key, row.Count); row.Key == base.Key && row.Count > most && ok && row.Seconds != nil {
			most = row.Count
			m.Compute = critical
			if !m.Weak {
				m.Compute *= float64(row.Count)
			}
		}
	}
	m.Program = func(devices int) (out []stat.Traffic, share float64, err error) {
		if devices < 2 {
			return nil, 1, nil
		}
		p, err := c.program(base.Key, devices)
		if err != nil {
			return nil, 0, err
		}
		for _, t := range program.TrafficOf(p, c.perNode) {
			out = append(out, stat.Traffic(t))
		}
		return out, largest(p), nil
	}
	return m, nil
}

// printForecasts prints them for people.
func printForecasts(w io.Writer, list []result.Forecast) error {
	if len(list) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "PREDICTION by a cost model, not measured\t\t\t\t\t\t")
	_, _ = fmt.Fprintln(t, "workload\tmode\tnodes\tGPUs\ttime\tefficiency\tfirst wall, or why not")
	for _, f := range list {
		time, efficiency, wall := "", "", f.Reason
		if f.Reason == "" {
			time, efficiency = fmt.Sprintf("%.4g ms", 1e3*f.Seconds.Value), fmt.Sprintf("%.3f", f.Efficiency.Value)
			if f.Seconds.Low != nil {
				time += fmt.Sprintf(" [%.4g, %.4g]", 1e3**f.Seconds.Low, 1e3**f.Seconds.High)
				efficiency += fmt.Sprintf(" [%.3f, %.3f]", *f.Efficiency.Low, *f.Efficiency.High)
			}
			wall = "none"
			if f.Wall != "" {
				wall = fmt.Sprintf("%s, on %s", f.Wall, plural(f.WallNodes, "node", "nodes"))
			}
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%s\t%s\n", f.Workload, f.Mode, f.Nodes, f.Count, time, efficiency, wall)
	}
	return t.Flush()
}
