package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk/sensor"
)

// Kinds of links between ranks: from node to node, and between ranks of one node.
const (
	linkNet  = "NET"
	linkNode = "RANK"
)

// linksFor is for how long links between ranks are timed at most.
const linksFor = 20 * time.Second

// Elements of a message that shows the latency, and of one that shows the bandwidth.
const (
	shortMessage   = 1
	longGPU        = 8 << 20
	longSoftware   = 256 << 10
	messageSamples = 5
)

// pairs lists the links between ranks that are timed. Between two nodes device k of one is
// timed with device k of the other: each of them once, not all pairs, which share the same
// wires. More than four nodes are timed round a ring. Ranks of one node only on GPUs.
func (j *job) pairs(pool []result.Device) (out [][2]int) {
	both := func(a, b int) { out = append(out, [2]int{a, b}, [2]int{b, a}) }
	_, nodes := nodesOf(pool)
	most := 0
	for _, n := range nodes {
		most = max(most, len(n))
	}
	for k := range most {
		for a := range nodes {
			for b := a + 1; b < len(nodes); b++ {
				ring := b == a+1 || a == 0 && b == len(nodes)-1
				if k < max(len(nodes[a]), len(nodes[b])) && (len(nodes) <= 4 || ring) {
					both(nodes[a][k%len(nodes[a])], nodes[b][k%len(nodes[b])])
				}
			}
		}
	}
	for _, n := range nodes {
		for i, a := range n {
			for _, b := range n[i+1:] {
				if j.home[a] != j.home[b] && !pool[a].Software {
					both(a, b)
				}
			}
		}
	}
	return out
}

// links looks at the links between the devices of a job: each rank at its own, which for
// software devices say nothing, and rank 0 at those between ranks, one after the other. What
// was found before an error is returned beside it; note says what there was no time for.
func (j *job) links(ctx context.Context, m *machine, pool []result.Device) (links []result.Link, note string, err error) {
	software := slices.ContainsFunc(pool, func(d result.Device) bool { return d.Software })
	for rank := range j.rank.Ranks() {
		var own []result.Link
		var wrong error
		switch n := len(slices.DeleteFunc(slices.Clone(j.home), func(h int) bool { return h != rank })); {
		case software || n < 2:
		case rank == 0:
			own, wrong = surveyLinks(ctx, present(m.adapters))
		default:
			own, wrong = j.rank.Survey(ctx, rank)
		}
		links, err = append(links, own...), errors.Join(err, wrong)
	}
	pairs, begin := j.pairs(pool), time.Now()
	for i, p := range pairs {
		if ctx.Err() != nil {
			return links, note, errors.Join(err, context.Cause(ctx))
		}
		if time.Since(begin) > linksFor {
			note = fmt.Sprintf("%d of %d links between ranks were timed in %v; the others were left out", i, len(pairs), linksFor)
			break
		}
		l := result.Link{From: p[0], To: p[1], Kind: linkNet}
		if pool[p[0]].Node == pool[p[1]].Node {
			l.Kind = linkNode
		}
		if wrong := j.timed(ctx, m, &l, software); wrong != nil {
			if lost := j.rank.Lost(); lost != nil {
				return links, note, lost
			}
			l.Reason = wrong.Error()
		}
		links = append(links, l)
	}
	rateLinks(links)
	return links, note, err
}

// rateLinks marks links between ranks that are slower than others of their kind.
func rateLinks(links []result.Link) {
	rated := make([]sensor.Rated, len(links))
	for i, l := range links {
		if l.Bandwidth != nil && (l.Kind == linkNet || l.Kind == linkNode) {
			rated[i] = sensor.Rated{Kind: l.Transport + " " + l.Kind, Bandwidth: *l.Bandwidth}
		}
	}
	for i, typical := range sensor.Slow(rated) {
		if typical > 0 {
			links[i].Slow, links[i].Typical = true, &typical
		}
	}
}

// timed sends messages over a link, as workloads do, and checks what arrives.
func (j *job) timed(ctx context.Context, m *machine, l *result.Link, software bool) error {
	short, err := j.message(ctx, m, l, shortMessage, 8)
	if err != nil {
		return err
	}
	n := int64(longGPU)
	if software {
		n = longSoftware
	}
	long, err := j.message(ctx, m, l, n, 1)
	if err != nil {
		return err
	}
	l.Verified, l.Latency, l.Bandwidth = true, positive(short), positive(4*float64(n)/long)
	return nil
}

// message is the median time of a message of n elements.
func (j *job) message(ctx context.Context, m *machine, l *result.Link, n int64, reps int) (seconds float64, err error) {
	w, err := suites.Find("comm/p2p")
	if err != nil {
		return 0, err
	}
	team := []int{l.From, l.To}
	c := scale.Cell{Key: result.Key{Workload: w.Info().ID, Mode: scale.Strong, Transport: "auto", Residency: scale.Residencies[0], Cache: scale.Caches[0]}, Item: scale.Item{Workload: w}}
	spec := m.spec(c, suites.Build{Size: n, Base: n, Label: "custom", Count: 2, Seed: 1, Params: map[string]int64{"pattern": 0}, Limits: m.limits, Divide: equally(2)})
	for _, at := range team {
		spec.Adapters = append(spec.Adapters, m.adapters[at])
	}
	s, err := m.launch(ctx, spec, team)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	v, err := s.Verify(ctx, true)
	switch l.Transport = s.Facts().Transport; {
	case err != nil:
		return 0, err
	case v.Outcome.Wrong != "":
		return 0, fmt.Errorf("%s: %s", l.Transport, v.Outcome.Wrong)
	}
	var times []float64
	for range messageSamples {
		var sample engine.Sample
		if sample, err = s.Sample(ctx, min(reps, s.MaxReps())); err != nil {
			return 0, err
		}
		times = append(times, sample.Seconds)
	}
	return stat.Median(times), nil
}
