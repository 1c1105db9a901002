package vk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// HostCopy is a memcpy between phases. Both ends are memory of host-visible
// buffers or host blocks (C memory), of equal length.
type HostCopy struct{ Dst, Src []byte }

// Phase is what a team does between two hand-overs.
type Phase struct {
	// Submissions holds, by device, the command buffers of the phase, each a
	// submission of its own. None: the device idles.
	Submissions [][]*Commands
	// Copies run on the host when the phase is done on all devices, before the
	// next one starts anywhere.
	Copies []HostCopy
	// Peers run when the devices of an engine's copies are through the phase; the
	// next phase starts nowhere before they are done.
	Peers []PeerCopy
}

// Schedule is a prepared sample of a team of devices, run any number of times
// from one thread. While it runs, no other work may be given to its devices.
type Schedule struct {
	devices []*Device
	raw     *raw.Schedule
	timing  Timing
	engines map[int]*CopyEngine // by device: of its peer copies
	barrier time.Duration       // how long a device may take for a phase; 0: any time
}

// Timing are the times of one run in nanoseconds of CLOCK_MONOTONIC_RAW. The
// slices are overwritten by the next Run.
type Timing struct {
	Opened    int64   // just before the start gate opened
	Signalled []int64 // by device: its signal was given
	Done      []int64 // by device: its last phase was seen done
	PhaseDone []int64 // by phase: seen done on all devices
	// PhaseMoved is, by phase, when its peer copies were seen done; PhaseDone where
	// there are none.
	PhaseMoved []int64
}

// NewSchedule prepares phases for a team. With any CPU driver in the team it
// waits blocking, else it polls.
func NewSchedule(devices []*Device, phases []Phase) (*Schedule, error) {
	blocking := slices.ContainsFunc(devices, func(d *Device) bool { return d != nil && d.Info().Software() })
	return newSchedule(devices, phases, blocking)
}

func newSchedule(devices []*Device, phases []Phase, blocking bool) (*Schedule, error) {
	if len(devices) == 0 || len(phases) == 0 {
		return nil, fmt.Errorf("schedule of %d phases on %d devices", len(phases), len(devices))
	}
	n := len(devices)
	handles := make([]*raw.Device, n)
	for i, d := range devices {
		if d == nil || d.raw == nil || slices.Contains(devices[:i], d) {
			return nil, fmt.Errorf("schedule: device %d of the team is closed or in it twice", i)
		}
		handles[i] = d.raw
	}
	counts := make([]uint32, 0, n*len(phases))
	var commands []uint64
	copies := make([][]raw.HostCopy, len(phases))
	seen := map[*Commands]bool{}
	for p, ph := range phases {
		if len(ph.Submissions) > n {
			return nil, fmt.Errorf("schedule: phase %d has work for %d devices of a team of %d", p, len(ph.Submissions), n)
		}
		for i := range devices {
			var list []*Commands
			if i < len(ph.Submissions) {
				list = ph.Submissions[i]
			}
			counts = append(counts, uint32(len(list)))
			for _, c := range list {
				if c == nil || c.device != devices[i] {
					return nil, fmt.Errorf("schedule: phase %d holds commands that are closed or not of %s", p, devices[i].name)
				}
				if seen[c] { // phases are queued ahead, and a command buffer may be queued once
					return nil, fmt.Errorf("schedule: phase %d holds commands of %s that are in the schedule already: record them again", p, devices[i].name)
				}
				seen[c] = true
				commands = append(commands, uint64(c.raw))
			}
		}
		for _, c := range ph.Copies {
			if len(c.Dst) != len(c.Src) {
				return nil, fmt.Errorf("schedule: host copy of %d bytes to %d", len(c.Src), len(c.Dst))
			}
			if len(c.Dst) > 0 {
				copies[p] = append(copies[p], raw.HostCopy{Dst: unsafe.Pointer(unsafe.SliceData(c.Dst)), Src: unsafe.Pointer(unsafe.SliceData(c.Src)), Size: uint64(len(c.Dst))})
			}
		}
	}
	s := raw.NewSchedule(handles, len(phases), counts, commands, copies, blocking)
	if s == nil {
		return nil, &CallError{Call: "schedule", Result: OutOfHostMemory}
	}
	out := &Schedule{devices: devices, raw: s, timing: Timing{
		Signalled: make([]int64, n), Done: make([]int64, n), PhaseDone: make([]int64, len(phases)), PhaseMoved: make([]int64, len(phases)),
	}}
	for _, d := range devices { // the shortest of the team
		if t := d.options.SyncTimeout; t > 0 && (out.barrier == 0 || t < out.barrier) {
			out.barrier = t
		}
	}
	s.Limits(int64(out.barrier), int64(min(drainTime, max(out.barrier, minDrain))))
	if err := out.addPeers(phases); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

// Run drives one sample: work is submitted ahead, the start gate opens on all
// devices at once, phases follow each other as soon as all devices are through.
// When ctx ends it stops, lets queued work finish and returns the context's
// error; a failing device is named by a CallError.
func (s *Schedule) Run(ctx context.Context) (Timing, error) {
	if s.raw == nil {
		return Timing{}, errors.New("run of a closed schedule")
	}
	if err := ctx.Err(); err != nil {
		return Timing{}, err
	}
	timeout := int64(-1)
	if at, ok := ctx.Deadline(); ok {
		timeout = max(int64(time.Until(at)), 0)
	}
	cancelled := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		s.raw.Cancel()
		close(cancelled)
	})
	failed := s.raw.Run(timeout)
	if !stop() { // the cancel may still be on its way: it must not hit the next run
		<-cancelled
		s.raw.Uncancel()
	}
	if failed != nil {
		return Timing{}, s.failure(ctx, failed)
	}
	s.timing.Opened = s.raw.Timing(s.timing.Signalled, s.timing.Done, s.timing.PhaseDone, s.timing.PhaseMoved)
	return s.timing, nil
}

func (s *Schedule) failure(ctx context.Context, f *raw.Failure) error {
	for i, stuck := range f.Stuck {
		if stuck {
			s.devices[i].stuck.Store(true)
		}
	}
	return &PhaseError{Phase: f.Phase, Phases: len(s.timing.PhaseDone), Err: s.cause(ctx, f)}
}

func (s *Schedule) cause(ctx context.Context, f *raw.Failure) error {
	switch {
	case f.Call == raw.PeerStart || f.Call == raw.PeerPoll:
		e := s.engines[f.Device]
		return fmt.Errorf("%s by %s from %s: %w", f.Call, e.Name, s.devices[f.Device].name, e.Explain(f.Result))
	case f.Call == raw.Barrier:
		return s.devices[f.Device].call(f.Result, "barrier time-out of %v", s.barrier)
	case Result(f.Result) == Timeout:
		if err := ctx.Err(); err != nil {
			return err
		}
		return errors.Join(ErrTimeout, context.DeadlineExceeded)
	case f.Device < 0 || f.Device >= len(s.devices):
		return &CallError{Call: f.Call, Result: Result(f.Result)}
	}
	return s.devices[f.Device].call(f.Result, "%s", f.Call)
}

// Close frees the schedule. Safe on nil and twice.
func (s *Schedule) Close() error {
	if s == nil || s.raw == nil {
		return nil
	}
	s.raw.Free()
	s.raw = nil
	return nil
}
