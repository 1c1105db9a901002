package cmd

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/cluster"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk"
)

// job is the part of this process in a job of several ranks; nil: there is none.
type job struct {
	world cluster.World
	rank  *cluster.Rank
	home  []int // by device of the pool: its rank
}

// endJob ends the job of this process with an exit code, when the command has said what it
// had to say: set where ranks are left that would wait for ever.
var endJob func(code int)

// startTimes is how many times the silence of a lost rank the ranks wait for each other at the
// start: launchers start them one after the other.
const startTimes = 4

// finalizeTime is how long ranks wait for each other at the end.
const finalizeTime = 20 * time.Second

// join meets the other ranks, if a launcher started some. What keeps this process from
// using its devices (problem) is said to rank 0, which ends the job.
func join(ctx context.Context, r *rig, p poolFlags, problem error, silence time.Duration) (*job, []*vk.Adapter, []result.Device, error) {
	world, err := cluster.Connect(startTimes * silence)
	if err != nil {
		return nil, nil, nil, joinError(err)
	}
	if world == nil {
		if problem != nil {
			return nil, nil, nil, problem
		}
		adapters, devices, err := r.pool(p)
		return nil, adapters, devices, err
	}
	endJob = world.Abort // until all is well
	d, own := describeRank(r, p, problem)
	rank, err := cluster.Join(context.WithoutCancel(ctx), world, d, silence)
	if err != nil {
		if world.Rank() != 0 { // rank 0 says it
			<-time.After(finalizeTime)
		}
		return nil, nil, nil, joinError(err)
	}
	j := &job{world: world, rank: rank}
	var devices []result.Device
	var adapters []*vk.Adapter
	adapters, devices, j.home = rank.Pool(own)
	return j, adapters, devices, nil
}

// joinError gives an error of ranks that do not come together its exit code: that of the rank
// that has no device, that of a lost one, else that of a wrong use of the launcher.
func joinError(err error) error {
	var none *cluster.NoDeviceError
	switch {
	case errors.As(err, &none) && none.Code != 0:
		return &exitError{code: none.Code, err: err, hint: none.Hint}
	case errors.Is(err, cluster.ErrRankLost):
		return err
	}
	return usage("%w", err)
}

// describeRank is what this process has to offer.
func describeRank(r *rig, p poolFlags, problem error) (cluster.Description, []*vk.Adapter) {
	d := cluster.Description{Node: nodeName(), PID: os.Getpid()}
	var own []*vk.Adapter
	if problem == nil && p.software == "" {
		r.granted, problem = granted(r.entries)
	}
	if problem == nil {
		own, d.Devices, problem = r.pool(p)
	}
	if problem != nil {
		d.Problem, d.Code, d.Hint = problem.Error(), codeFor(problem), hintFor(problem)
		return d, nil
	}
	for _, a := range own {
		d.Infos = append(d.Infos, *a.Info())
	}
	d.Host = hostFacts(r.instance.LoaderVersion(), r.instance.ActiveLayers())
	return d, own
}

// leads says whether this process runs the command; without a job it does.
func (j *job) leads() bool { return j == nil || j.rank.Leads() }

// follow does what rank 0 asks for, until the job is over.
func (j *job) follow(ctx context.Context, s streams, f *cluster.Follower) error {
	if err := j.rank.Follow(context.WithoutCancel(ctx), f); err != nil {
		s.say("amgpu: rank %d ends: %v", j.rank.Number(), err) // rank 0 may not be there to say it
		return &exitError{code: codeLost, err: err}
	}
	j.leave(s)
	return nil
}

// follow is a rank's part in a command that measures.
func (m *measurement) follow(ctx context.Context) error {
	f := m.job.follower(m.s, m.adapters, m.devices)
	f.Links = m.o.linkCache()
	f.Describe = func(_ context.Context, about string, devices []int) ([]byte, error) {
		return m.describe(about, devices)
	}
	f.Turn = &m.watch.turn
	f.Workloads = func(id string) (suites.Workload, error) {
		for _, w := range m.o.workloads { // the user's own, too
			if w.Info().ID == id {
				return w, nil
			}
		}
		return suites.Find(id)
	}
	return m.job.follow(ctx, m.s, f)
}

// leave ends this process's part in the job.
func (j *job) leave(s streams) {
	if j == nil {
		return
	}
	lost := j.rank.Missing()
	j.rank.Close()
	if lost == nil { // else those that are left cannot come to an end together
		finalize(j.world, s)
	}
}

// finalize leaves MPI, when all ranks have agreed that nothing is left to do. A library that
// does not come back from it takes nothing away from what was measured.
func finalize(world cluster.World, s streams) {
	if err := world.Finalize(finalizeTime); err != nil {
		s.say("amgpu: rank %d leaves the job without it, with all results: %v", world.Rank(), err)
	}
	endJob = nil
}

// launch launches a program on devices of the pool.
func (m *machine) launch(ctx context.Context, spec engine.Spec, devices []int) (launched, error) {
	if m.job == nil {
		return engine.Launch(ctx, spec)
	}
	home := make([]int, len(devices))
	for i, at := range devices {
		home[i] = m.job.home[at]
	}
	return m.job.rank.Launch(ctx, spec, home)
}

// launched is a launch in this process, or in several.
type launched interface {
	Verify(ctx context.Context, full bool) (engine.Verification, error)
	Sample(ctx context.Context, reps int) (engine.Sample, error)
	EmptyGate(ctx context.Context) (float64, error)
	Confirm(ctx context.Context) (string, error)
	Calibrate(ctx context.Context, atMost time.Duration) (float64, error)
	Facts() engine.Facts
	MaxReps() int
	HighWater() []int64
	MemoryUse() []result.MemoryUse
	Close() error
}

// lostRank turns a command's end into that of the rank that caused it. Launchers end a job
// of which a process has ended by a signal to the others: that is no interruption.
func (j *job) lostRank(err error) error {
	if j == nil || err == nil {
		return err
	}
	lost := j.rank.Missing()
	switch {
	case lost == nil || errors.Is(err, lost):
		return err
	case codeFor(err) == codeInterrupted:
		return lost
	}
	return errors.Join(lost, err)
}

// until is a context that ends when a rank is lost.
func (j *job) until(ctx context.Context) (context.Context, context.CancelFunc) {
	if j == nil {
		return ctx, func() {}
	}
	return j.rank.Until(ctx)
}

// announce says which ranks there are.
func (j *job) announce(s streams) {
	if j == nil {
		return
	}
	for rank, d := range j.rank.Ranks() {
		var own []string
		for at, home := range j.home {
			if home == rank {
				own = append(own, strconv.Itoa(at))
			}
		}
		s.say("rank %d: %s, process %d, devices %s", rank, d.Node, d.PID, strings.Join(own, ", "))
	}
}

// inJob tells whether a launcher has started this process as one of several.
func inJob() bool {
	_, size := cluster.Launched()
	return size > 1
}

// quiet tells whether what this process says would be said several times: rank 0 says it.
func quiet() bool {
	rank, _ := cluster.Launched()
	return rank > 0
}
