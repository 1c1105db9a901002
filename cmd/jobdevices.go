package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/cluster"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/diagnose"
	"github.com/amgpu/amgpu/vk/peer"
)

// listJob prints the devices that the ranks of a job own, those of all nodes, and the links
// between them. Rank 0 prints; the others describe theirs.
func listJob(ctx context.Context, s streams, pool poolFlags, asJSON, topology bool) (err error) {
	r, problem := pool.openRig()
	if problem == nil {
		defer func() { err = errors.Join(err, r.close()) }()
	}
	j, adapters, devices, err := join(ctx, r, pool, problem, cluster.DefaultSilence)
	if err != nil {
		return err
	}
	own := describeOwn(r, adapters, devices, j.rank.Number(), pool.software != "")
	if !j.leads() {
		f := j.follower(s, adapters, devices)
		f.Describe = func(context.Context, string, []int) ([]byte, error) { return json.Marshal(own) }
		return j.follow(ctx, s, f)
	}
	defer func() {
		err = j.lostRank(err)
		j.leave(s)
	}()
	ctx, stop := j.until(ctx)
	defer stop()
	doc := devicesJSON{Devices: []deviceJSON{}, Links: []result.Link{}, Problems: []diagnose.Problem{}, Loader: r.instance.LoaderVersion(), Job: j.described(devices)}
	for rank, d := range j.rank.Ranks() {
		part := own
		if rank > 0 {
			raw, err := j.rank.Describe(ctx, rank, aboutDevices, nil)
			if err == nil {
				part = devicesJSON{}
				err = json.Unmarshal(raw, &part)
			}
			if err != nil {
				return err
			}
		}
		doc.Devices = append(doc.Devices, part.Devices...)
		for _, p := range part.Problems { // ranks of one node see the same
			if p.Subject += " on " + d.Node; !slices.Contains(doc.Problems, p) {
				doc.Problems = append(doc.Problems, p)
			}
		}
	}
	doc.Selection = selected(doc.Devices)
	software := slices.ContainsFunc(devices, func(d result.Device) bool { return d.Software })
	m := &machine{adapters: adapters, limits: engine.PoolLimits(adapters), cacheDir: cacheDir(), links: peer.OpenCache(""), timeout: limits{}.timeout(software), job: j}
	links, note, err := j.links(ctx, m, devices)
	if err != nil {
		doc.Problems = append(doc.Problems, diagnose.Problem{Code: "links", Subject: "links", Text: err.Error(), Fix: "docs/cluster.md says what to check first"})
	}
	if note != "" {
		doc.Problems = append(doc.Problems, diagnose.Problem{Code: "links", Subject: "links", Text: note, Fix: "start fewer nodes at a time to see all links"})
	}
	doc.Links = append(doc.Links, links...)
	printed := doc.print
	if topology {
		printed = doc.printTopology
	}
	return errors.Join(printed(s.Out, asJSON, s), j.rank.Lost())
}

// describeOwn describes the devices of one rank by their places in the pool of the job.
func describeOwn(r *rig, adapters []*vk.Adapter, pool []result.Device, rank int, software bool) (doc devicesJSON) {
	sensors := openSensors(r.adapters)
	defer sensors.Close()
	for i, a := range r.adapters {
		at := slices.Index(adapters, a)
		if at < 0 {
			continue
		}
		d := describeDevice(a, r.entries[i], true)
		d.placeJSON = placeOf(sensors, i)
		d.Score = scoreOf(a, d.Error == "", loadOf(sensors.Devices[i]))
		d.Index, d.Node, d.Rank = at, pool[at].Node, &rank
		doc.Devices = append(doc.Devices, d)
	}
	doc.Problems = problems(doc.Devices, nil, software)
	return doc
}

// whereabouts is the node and rank of a device; empty without a job.
func (d deviceJSON) whereabouts() string {
	if d.Rank == nil {
		return ""
	}
	return fmt.Sprintf("%s, rank %d", d.Node, *d.Rank)
}
