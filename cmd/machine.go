package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/measure"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
	"github.com/amgpu/amgpu/vk/sensor"
)

// machine lets the engine run the cells of a sweep.
type machine struct {
	adapters []*vk.Adapter // by position in the pool
	limits   suites.Limits // of the whole pool
	division partition.Division
	rates    rates
	expects  bool             // estimates are wanted of a strategy that needs no rates
	alones   map[aloneID]bool // rows of one device that the sweep has or will have
	cacheDir string
	links    *peer.Cache
	choices  engine.Choices
	sensors  []*sensor.Device // by position in the pool; nil: clocks are not read
	turn     sync.Mutex       // held while a sample is taken
	timeout  time.Duration    // for one submission or hand-over
	job      *job             // nil: all devices are here
	memory   uint64           // most bytes to take of a device; 0: what it has
	keep     *keeper          // of --checkpoint; nil: iterations run in one go
	decided  map[string]bool  // rows whose decisions were timed
}

// Launch implements scale.Machine.
func (m *machine) Launch(ctx context.Context, c scale.Cell) (scale.Session, error) {
	team := make([]*vk.Adapter, len(c.Devices))
	position := map[int]int{} // by the adapter's own index
	for i, at := range c.Devices {
		team[i] = m.adapters[at]
		position[team[i].Info().Index] = at
	}
	if err := m.calibrate(ctx, c); err != nil {
		return nil, located(classify(err), position)
	}
	var axis dividedAxis
	if err := m.refused(c, &axis); err != nil {
		return nil, err
	}
	decision := m.timeDecisions(c, axis)
	spec := m.spec(c, m.build(c))
	spec.Adapters, spec.Dynamic = team, m.dynamic(c)
	var err error
	if spec.Checkpoint, err = m.keep.engine(); err != nil {
		return nil, err
	}
	s, err := m.launch(ctx, spec, c.Devices)
	if err != nil {
		return nil, located(classify(err), position)
	}
	return &session{launched: s, machine: m, cell: c, position: position, team: c.Devices, decision: decision, watch: m.watch(c.Devices)}, nil
}

// spec is the launch of a program, on a team that is still to be named.
func (m *machine) spec(c scale.Cell, b suites.Build) engine.Spec {
	return engine.Spec{
		Workload: c.Item.Workload, Build: b, Transport: transportOf(c.Transport), Residency: c.Residency, Cache: c.Cache,
		CacheDir: m.cacheDir, Links: m.links, Choices: &m.choices, SyncTimeout: m.timeout, MemoryBudget: m.memory,
	}
}

// transportOf is the engine's name of a key's transport; where nothing is
// communicated any will do.
func transportOf(key string) string {
	if key == "none" {
		return "auto"
	}
	return key
}

// build is the request for a cell's program.
func (m *machine) build(c scale.Cell) suites.Build {
	b := m.request(c)
	var refused error // Launch asks
	b.Divide = m.divide(c, &refused)
	return b
}

// check builds every program of a plan once, so that a size, split, parameter or
// input that cannot be built is known before anything is measured. A standard size
// that does not fit one of the counts is left to become an unsupported row.
func (m *machine) check(cells []scale.Cell) error {
	done := map[string]bool{}
	for _, c := range cells {
		id := fmt.Sprint(c.Key, c.Count)
		if done[id] {
			continue
		}
		done[id] = true
		if err := m.buildable(c); err != nil {
			return err
		}
	}
	return nil
}

// classify gives an error of the engine its row status.
func classify(err error) error {
	var status string
	var call *vk.CallError
	var phase *vk.PhaseError
	var driver *peer.DriverError
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case is(err, vk.ErrDeviceLost, vk.ErrTimeout):
		status = result.DeviceLost
	case slices.ContainsFunc(failedCalls(err), func(c *vk.CallError) bool { return c.Result == vk.OutOfHostMemory }):
		return err // the host's trouble says nothing about the devices
	case is(err, peer.ErrWrongData): // whatever else was refused beside it
		status = result.WrongResult
	case errors.As(err, &driver):
		status = result.DeviceLost
	case is(err, engine.ErrUnsupported, vk.ErrUnsupported, vk.ErrOutOfMemory):
		status = result.Unsupported
	case errors.As(err, &call) || errors.As(err, &phase): // the device or a copy engine failed in another way
		status = result.DeviceLost
	default:
		return err
	}
	return &scale.Failure{Status: status, Err: err}
}

// session adapts an engine session: the same shapes under the sweep's names.
type session struct {
	launched
	machine  *machine
	cell     scale.Cell
	times    []float64 // of the samples so far
	position map[int]int
	team     []int // by position in the pool
	decision *result.Decision
	watch    *sensor.Launch // nil: no sensors
	said     *sensor.Summary
}

func (s *session) failed(err error) error { return located(classify(err), s.position) }

func (s *session) Verify(ctx context.Context, full bool) (scale.Verification, error) {
	v, err := s.launched.Verify(ctx, full)
	return scale.Verification(v), s.failed(err)
}

func (s *session) Sample(ctx context.Context, reps int) (measure.Sample, error) {
	s.machine.turn.Lock()
	out, err := s.launched.Sample(ctx, reps)
	s.machine.turn.Unlock()
	if err == nil && s.cell.Count == 1 {
		s.times = append(s.times, out.Seconds)
	}
	for i := range out.Spans {
		out.Spans[i].Device = s.position[out.Spans[i].Device]
	}
	if err == nil && s.watch != nil {
		s.watch.After(reps)
	}
	return measure.Sample(out), s.failed(err)
}

func (s *session) EmptyGate(ctx context.Context) (float64, error) {
	t, err := s.launched.EmptyGate(ctx)
	return t, s.failed(err)
}

func (s *session) Confirm(ctx context.Context) (string, error) {
	wrong, err := s.launched.Confirm(ctx)
	return wrong, s.failed(err)
}

func (s *session) Facts() scale.Facts {
	f := scale.Facts(s.launched.Facts())
	f.Division = s.machine.divided(s.cell, f.Shares, f.Division)
	return f
}

// Decision implements scale.Decider.
func (s *session) Decision() *result.Decision { return s.decision }

func (s *session) Close() error {
	s.heard()
	return s.launched.Close()
}

// cacheDir is where pipelines are kept between runs; empty when there is no
// place for them.
func cacheDir() string {
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	dir := filepath.Join(base, "amgpu")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return ""
	}
	return dir
}

// validationMessages turns what the validation layer said into warnings.
func validationMessages(in *vk.Instance) []result.Warning {
	var out []result.Warning
	for _, m := range in.Messages() {
		out = append(out, result.Warning{Code: "validation", Text: strings.TrimSpace(m.ID + " " + m.Text)})
	}
	return out
}

// linkCache remembers which links were verified, from one command to the next
// unless that is not wanted.
func (o *options) linkCache() *peer.Cache {
	dir := cacheDir()
	if o.noLinkCache || dir == "" {
		return peer.OpenCache("")
	}
	return peer.OpenCache(filepath.Join(dir, "links.json"))
}
