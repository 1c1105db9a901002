package vk

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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
	// Tails holds, by device, submissions that follow those of the phase, but which the
	// end of the phase does not wait for: they run beside the hand-over. A later phase
	// must have work for the device, which begins behind them with a barrier of its own.
	Tails [][]*Commands
	// Beside holds, by device, commands of the second queue (RecordBeside), which run at
	// the same time as the device's submissions.
	Beside [][]*Commands
	// Copies run on the host when the phase is done on all devices, before the
	// next one starts anywhere.
	Copies []HostCopy
	// Peers run when the devices of an engine's copies are through the phase; the
	// next phase starts nowhere before they are done.
	Peers []PeerCopy
	// Parcels go to other processes and come from them; the next phase waits for them, too.
	Parcels []Parcel
}

// Schedule is a prepared sample of a team of devices, run any number of times
// from one thread. While it runs, no other work may be given to its devices.
type Schedule struct {
	devices []*Device
	raw     *raw.Schedule
	owner   []int // by lane: its device
	timing  Timing
	// By lane, of the last run.
	signalled, done []int64
	engines         map[int]*CopyEngine // by device: of its peer copies; postman: of the parcels
	barrier         time.Duration       // how long a device may take for a phase; 0: any time
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
	// PhaseCopied is, by phase, when its host copies were made; PhaseMoved where there
	// are none.
	PhaseCopied []int64
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
	l, err := layOut(devices, phases)
	if err != nil {
		return nil, err
	}
	n := len(devices)
	copies := make([][]raw.HostCopy, len(phases))
	for p, ph := range phases {
		for _, c := range ph.Copies {
			if len(c.Dst) != len(c.Src) {
				return nil, fmt.Errorf("schedule: host copy of %d bytes to %d", len(c.Src), len(c.Dst))
			}
			if len(c.Dst) > 0 {
				copies[p] = append(copies[p], raw.HostCopy{Dst: unsafe.Pointer(unsafe.SliceData(c.Dst)), Src: unsafe.Pointer(unsafe.SliceData(c.Src)), Size: uint64(len(c.Dst))})
			}
		}
	}
	s := raw.NewSchedule(l.queues, n, len(phases), l.counts, l.tails, l.commands, copies, blocking)
	if s == nil {
		return nil, &CallError{Call: "schedule", Result: OutOfHostMemory}
	}
	out := &Schedule{devices: devices, raw: s, owner: l.owner, signalled: make([]int64, len(l.queues)), done: make([]int64, len(l.queues)), timing: Timing{
		Signalled: make([]int64, n), Done: make([]int64, n), PhaseDone: make([]int64, len(phases)), PhaseMoved: make([]int64, len(phases)), PhaseCopied: make([]int64, len(phases)),
	}}
	for _, d := range devices { // the shortest of the team
		if t := d.options.SyncTimeout; t > 0 && (out.barrier == 0 || t < out.barrier) {
			out.barrier = t
		}
	}
	drain := drainTime
	if out.barrier > 0 {
		drain = min(drainTime, max(out.barrier, minDrain))
	}
	s.Limits(int64(out.barrier), int64(drain))
	if err := out.addPeers(phases); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	// Beside the starters the conductor spins, and the program must go on.
	if !blocking && runtime.NumCPU() >= n+2 {
		out.StartTogether()
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
	for _, d := range s.devices {
		if err := d.usable(); err != nil {
			return Timing{}, err
		}
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
	s.timing.Opened = s.raw.Timing(s.signalled, s.done, s.timing.PhaseDone, s.timing.PhaseMoved, s.timing.PhaseCopied)
	copy(s.timing.Signalled, s.signalled)
	copy(s.timing.Done, s.done)
	for lane, device := range s.owner {
		s.timing.Done[device] = max(s.timing.Done[device], s.done[lane])
	}
	return s.timing, nil
}

func (s *Schedule) failure(ctx context.Context, f *raw.Failure) error {
	for i, stuck := range f.Stuck {
		if stuck {
			s.devices[s.owner[i]].stuck.Store(true)
		}
	}
	return &PhaseError{Phase: f.Phase, Phases: len(s.timing.PhaseDone), Err: s.cause(ctx, f)}
}

func (s *Schedule) cause(ctx context.Context, f *raw.Failure) error {
	device := -1
	if f.Lane >= 0 && f.Lane < len(s.owner) {
		device = s.owner[f.Lane]
	}
	switch {
	case (f.Call == raw.PeerStart || f.Call == raw.PeerPoll) && f.Lane == postman:
		if err := ctx.Err(); err != nil { // the engine was told to give up
			return err
		}
		e := s.engines[postman]
		return fmt.Errorf("parcels by %s: %w", e.Name, e.Explain(f.Result))
	case f.Call == raw.PeerStart || f.Call == raw.PeerPoll:
		e := s.engines[device]
		return fmt.Errorf("%s by %s from %s: %w", f.Call, e.Name, s.devices[device].name, e.Explain(f.Result))
	case f.Call == raw.Barrier:
		return s.devices[device].call(f.Result, "barrier time-out of %v", s.barrier)
	case Result(f.Result) == Timeout:
		if err := ctx.Err(); err != nil {
			return err
		}
		return errors.Join(ErrTimeout, context.DeadlineExceeded)
	case device < 0:
		return &CallError{Call: f.Call, Result: Result(f.Result)}
	}
	return s.devices[device].call(f.Result, "%s", f.Call)
}

// OpenAt sets the time, of Now, before which the start gate does not open in the runs that
// follow; 0: it opens at once.
func (s *Schedule) OpenAt(at int64) { s.raw.OpenAt(at) }

// Close frees the schedule. Safe on nil and twice.
func (s *Schedule) Close() error {
	if s == nil || s.raw == nil {
		return nil
	}
	s.raw.Free()
	s.raw = nil
	return nil
}
