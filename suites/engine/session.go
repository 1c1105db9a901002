package engine

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// Session is one launch: fresh devices, memory and pipelines holding one
// program. It is used from one goroutine.
type Session struct {
	spec      Spec
	info      suites.Info
	prog      *program.Program
	workers   []*worker
	team      []*vk.Device
	software  bool
	shortReps int                  // from more repetitions on, only the first of a sample have timestamps
	arrays    []map[string]*placed // by device
	sets      []kernelSet          // by device
	accs      []*accumulators      // by device
	scratches map[string][]*vk.Buffer
	plans     map[string]way          // of collectives whose algorithm was measured
	bounds    map[string][]*vk.Buffer // of engine/tree, by name
	transport peer.Transport
	relay     peer.Transport // through host memory, for small messages; nil: transport is that, or there is none
	notes     []result.Warning
	fault     fault
	clocks    clocks
	finest    []float64 // granularity of each device's clock, seconds

	deal     *dealing       // nil: each device has its share
	host     *images        // of end-to-end iterations; nil: data is resident
	coldRuns []*vk.Commands // by device: what displaces the cache
	main     *recording     // the timed steps, for the last number of repetitions
	setup    *recording
	checked  string // digest of the checked iteration
	samples  int

	watched     []bool  // by device: a driver's watchdog may end long submissions
	submitLimit float64 // most nominal cost of one submission; 0: no limit (no GPU in the team; CPU drivers have no watchdog)
}

// Launch opens fresh devices and prepares the program: arrays placed, pipelines
// built, links verified. Inputs are made by Verify. Errors that wrap
// ErrUnsupported, as all do that workloads return from Build, are facts about the row.
func Launch(ctx context.Context, spec Spec) (*Session, error) {
	prog, what, err := buildFor(spec)
	if err != nil {
		return nil, err
	}
	if what != nil && spec.Job != nil {
		return nil, unsupported("--strategy dynamic hands out work within one process: use another --strategy")
	}
	if len(prog.Shares) != len(spec.Adapters) {
		return nil, fmt.Errorf("%s: program for %d devices on a team of %d", spec.Workload.Info().ID, len(prog.Shares), len(spec.Adapters))
	}
	f, err := readFault()
	if err != nil {
		return nil, err
	}
	s := &Session{spec: spec, info: spec.Workload.Info(), prog: prog, scratches: map[string][]*vk.Buffer{}, bounds: map[string][]*vk.Buffer{}, plans: map[string]way{}, fault: f}
	if err := s.open(ctx, what); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Session) open(ctx context.Context, what *dealt) error {
	var err error
	if s.workers, err = startTeam(s.spec.Adapters, vk.DeviceOptions{CacheDir: s.spec.CacheDir, Features: needs(s.prog), SyncTimeout: s.spec.SyncTimeout, MemoryBudget: s.spec.MemoryBudget}); err != nil {
		return doing("opening the devices", err)
	}
	for _, w := range s.workers {
		s.team = append(s.team, w.device)
		gpu := !w.device.Info().Software()
		s.watched = append(s.watched, gpu)
		if gpu {
			s.submitLimit = firstSubmit
		} else {
			s.software = true
		}
	}
	s.shortReps = shortReps
	if s.software {
		s.shortReps = math.MaxInt
	}
	s.accs = make([]*accumulators, len(s.workers))
	// First of all: a transport may decide where the devices' memory comes from.
	if what == nil {
		if err := s.connect(ctx); err != nil {
			return doing("verifying links", err)
		}
	}
	if err := s.place(what == nil); err != nil {
		return doing("placing arrays", err)
	}
	if err := s.loadKernels(); err != nil {
		return doing("building pipelines", err)
	}
	if s.spec.Residency == EndToEnd {
		if err := s.makeImages(); err != nil {
			return doing("placing host images", err)
		}
	}
	if what != nil {
		if err := s.newDealing(what); err != nil {
			return doing("preparing chunks", err)
		}
	} else if err := s.chooseAlgorithms(ctx); err != nil {
		return doing("choosing algorithms", err)
	}
	if err := s.startClocks(ctx); err != nil {
		return doing("reading clocks", err)
	}
	if err := s.measureGranularity(ctx); err != nil {
		return doing("measuring the granularity of timestamps", err)
	}
	if c := s.spec.Checkpoint; c != nil && c.From != nil {
		s.note("continued", fmt.Sprintf("the checked iteration goes on from a checkpoint after %d of its %d repetitions", c.From.Done, Repetitions(s.prog)))
	}
	if err := s.joinNotes(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

// connect finds a verified transport for every link of a team that communicates.
func (s *Session) connect(ctx context.Context) error {
	if len(s.team) < 2 || !s.communicates() {
		return nil
	}
	if s.spec.Job != nil {
		return s.connectJob(ctx)
	}
	routes, err := peer.New(peer.Options{Transport: s.spec.Transport, Links: s.spec.Links}, s.team)
	if err != nil {
		return err
	}
	s.transport = routes
	for _, passed := range routes.Excluded() {
		s.note("transport-excluded", passed.Error())
	}
	if routes.Name() == peer.Mixed {
		s.note("transports", "transports by link of the team: "+routes.String())
	}
	if s.spec.Transport == "auto" && s.engines() {
		// A hand-over by copy engines takes longer than a small message through memory
		// that all devices see. Where there is none of that, nothing is lost.
		if relay, err := peer.New(peer.Options{Transport: peer.Host, Links: s.spec.Links}, s.team); err == nil {
			s.relay = relay
		}
	}
	return nil
}

// communicates says whether any step of the program can move data.
func (s *Session) communicates() bool {
	found := false
	for _, steps := range [][]program.Step{s.prog.Setup, s.prog.Steps} {
		walk(steps, func(st program.Step) {
			switch st.(type) {
			case program.Exchange, program.AllReduce, program.ReduceScatter, program.AllGather, program.Broadcast, program.AllToAll, program.Send:
				found = true
			}
		})
	}
	return found
}

func (s *Session) note(code, text string) {
	s.notes = append(s.notes, result.Warning{Code: code, Text: text})
}

// roof is the roof that the launch measures, with the parameters that are meant for it.
// On a GPU a size below M is over before the device is full.
func (s *Session) roof() string {
	least := s.info.Sizes.M
	if s.software {
		least = s.info.Sizes.S
	}
	for _, p := range s.info.Params {
		if s.spec.Build.Params[p.Name] != p.Default {
			return ""
		}
	}
	if s.spec.Build.Size < least {
		return ""
	}
	return s.info.Roof
}

// Facts returns what is known of the launch.
func (s *Session) Facts() Facts {
	f := Facts{
		Total: s.spec.Build.Size,
		Work:  result.Work{Value: s.prog.Work, Unit: s.info.WorkUnit},
		Flops: s.prog.Flops, Bytes: s.prog.Bytes, Arithmetic: s.info.Arithmetic, Roof: s.roof(),
		Granularity: s.finest, Warnings: s.notes, Shaders: ShadersOf(s.prog), Variant: s.prog.Variant,
	}
	if s.prog.Arithmetic != "" {
		f.Arithmetic = s.prog.Arithmetic
	}
	if s.transport != nil {
		f.Transport = s.transport.Name()
	}
	if s.deal != nil {
		f.Division, f.Transport = s.deal.facts(), s.deal.transport()
	}
	for _, arrays := range s.arrays {
		var bytes int64
		for _, p := range arrays {
			bytes += p.ext.units * p.ext.unitBytes
		}
		f.Resident = max(f.Resident, bytes)
	}
	for i := range s.prog.Arrays {
		f.Replicated += s.prog.Arrays[i].Bytes()
	}
	f.Staged = s.prog.Loads != nil && len(s.prog.Shares) > 1
	for i := range s.prog.Shares {
		n := s.prog.Load(i)
		if s.deal != nil {
			n = s.deal.handed(i)
		}
		f.Shares = append(f.Shares, n)
	}
	return f
}

// Close frees everything: schedules, transport, then the devices with all their
// memory.
func (s *Session) Close() error {
	if s.stuck() { // what it may still use must stay: only the devices beside it are closed
		s.main, s.setup, s.transport, s.relay = nil, nil, nil, nil
	}
	errs := []error{s.main.close(s), s.setup.close(s), s.deal.close(s)}
	s.main, s.setup = nil, nil
	for _, t := range []peer.Transport{s.transport, s.relay} {
		if t != nil {
			errs = append(errs, t.Close())
		}
	}
	s.transport, s.relay = nil, nil
	for _, w := range s.workers {
		errs = append(errs, w.stop())
	}
	s.workers = nil
	return errors.Join(errs...)
}
