package engine

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/amgpu/amgpu/internal/near"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// fault makes a launch fail on purpose, so that the whole path from a faulty
// device to the exit code can be tested: AMGPU_FAULT=wrong-result flips a word
// of an output on the first device, device-lost:N reports device N (by Info.Index)
// lost after three samples of a launch, slow:N:S lets every sample with device N
// last longer by the share S; where chunks are handed out (--strategy dynamic)
// only what device N computes, and with slow:N:S:T only from T seconds on. What begins with vulkan: is package vk's.
type fault struct {
	wrong bool
	lost  int     // Info.Index of a device; -1: none
	slow  int     // Info.Index of a device; -1: none
	share float64 // by which it is slower
	from  float64 // seconds after the start of a sample, where chunks are handed out
}

// lostAtSample leaves a few good samples behind before the device goes.
const lostAtSample = 3

// faultKinds are what AMGPU_FAULT may begin with.
var faultKinds = []string{"wrong-result", "device-lost", "slow", "vulkan", "transport"}

// struck counts what a fault of this package changed since CheckFault.
var struck atomic.Int64

// CheckFault says what is wrong with AMGPU_FAULT, but for what follows vulkan:, which
// vk.Open reads, and begins to count what it changes.
func CheckFault() error {
	struck.Store(0)
	if _, err := readFault(); err != nil {
		return err
	}
	return peer.CheckFault()
}

// CheckFaultIn says whether AMGPU_FAULT names a device that is not one of the pool.
func CheckFaultIn(pool []*vk.Adapter) error {
	f, err := readFault()
	if err != nil {
		return err
	}
	at, there := max(f.lost, f.slow), []string{}
	for _, a := range pool {
		if i := a.Info(); i.Index == at {
			return nil
		}
		there = append(there, fmt.Sprintf("%d %s", a.Info().Index, a.Info().Name))
	}
	if at < 0 {
		return nil
	}
	return fmt.Errorf("AMGPU_FAULT=%s: device %d is not in the pool, which is: %s", os.Getenv("AMGPU_FAULT"), at, strings.Join(there, ", "))
}

// CheckFaultFor says why AMGPU_FAULT can change nothing in launches on a pool, of which those
// that communicate ask for these transports, with chunks handed out or not; nil: it may.
func CheckFaultFor(pool []*vk.Adapter, transports []string, dynamic bool) error {
	f, err := readFault()
	if err != nil {
		return err
	}
	text := os.Getenv("AMGPU_FAULT")
	if f.from > 0 && !dynamic {
		return fmt.Errorf("AMGPU_FAULT=%s: a device becomes slower within a sample only where chunks are handed out: use --strategy dynamic, or leave out the time", text)
	}
	if !strings.HasPrefix(text, "transport:") {
		return nil
	}
	if len(transports) == 0 {
		return fmt.Errorf("AMGPU_FAULT=%s: nothing crosses a link in this plan: measure a workload that communicates, such as comm/allreduce, on more than one device", text)
	}
	infos := make([]*vk.Info, len(pool))
	for i, a := range pool {
		infos[i] = a.Info()
	}
	return peer.CheckFaultFor(transports, infos)
}

// FaultUnmet says why AMGPU_FAULT has changed nothing since CheckFault, but for what follows
// vulkan:; empty: it has, or none is set.
func FaultUnmet() string {
	f, err := readFault()
	if err != nil || struck.Load() > 0 {
		return ""
	}
	switch {
	case f.wrong:
		return "no output was checked"
	case f.lost >= 0:
		return fmt.Sprintf("device %d had no launch of more than %d samples", f.lost, lostAtSample)
	case f.slow >= 0 && f.from > 0:
		return fmt.Sprintf("device %d computed nothing from %g s after the start of a sample on", f.slow, f.from)
	case f.slow >= 0:
		return fmt.Sprintf("device %d had no sample", f.slow)
	}
	return peer.FaultUnmet()
}

func readFault() (fault, error) {
	f := fault{lost: -1, slow: -1}
	var err error
	kind, arg, more := strings.Cut(os.Getenv("AMGPU_FAULT"), ":")
	switch kind {
	case "wrong-result":
		if f.wrong = true; more {
			return f, fmt.Errorf("AMGPU_FAULT=wrong-result:%s: nothing may follow wrong-result", arg)
		}
	case "device-lost":
		if f.lost, err = strconv.Atoi(arg); err != nil || f.lost < 0 {
			return f, fmt.Errorf("AMGPU_FAULT=device-lost:%s: name a device by its number in `amgpu devices`, such as device-lost:0", arg)
		}
	case "slow":
		device, share, _ := strings.Cut(arg, ":")
		share, from, timed := strings.Cut(share, ":")
		f.slow, err = strconv.Atoi(device)
		if err == nil {
			f.share, err = strconv.ParseFloat(share, 64)
		}
		if err == nil && timed {
			f.from, err = strconv.ParseFloat(from, 64)
		}
		if err != nil || f.slow < 0 || !(f.share > 0 && f.share <= 100) || !(f.from >= 0) {
			return f, fmt.Errorf("AMGPU_FAULT=slow:%s: name a device by its number in `amgpu devices` and by which share it is slower, such as slow:0:0.2, and from which second on, such as slow:0:3:0.5", arg)
		}
	case "vulkan", "transport":
		if !more {
			return f, fmt.Errorf("AMGPU_FAULT=%s: say what fails, such as vulkan:call=vkQueueSubmit2 or transport:host", kind)
		}
	case "":
		if more {
			return f, fmt.Errorf("AMGPU_FAULT=:%s: say what fails before the colon: %s", arg, strings.Join(faultKinds, ", "))
		}
	default:
		return f, fmt.Errorf("AMGPU_FAULT=%s: use wrong-result, device-lost:N, slow:N:SHARE[:T], vulkan:call=NAME or transport:NAME%s", kind, near.Hint(kind, faultKinds))
	}
	return f, nil
}

// corrupt overwrites the first word of the first output on the device that holds it.
func (f fault) corrupt(ctx context.Context, s *Session) error {
	if !f.wrong {
		return nil
	}
	for j := range s.prog.Arrays {
		a := &s.prog.Arrays[j]
		if !a.Output {
			continue
		}
		i, at := 0, int64(0)
		if a.Layout == program.Split {
			i, _, _ = s.holder(0)
			at = a.Halo
		}
		struck.Add(1)
		return s.workers[i].do(func(d *vk.Device) error {
			r := s.arrays[i][a.Name].regions(at, at+1)[0]
			return run(ctx, d, []vk.Op{{Kind: vk.OpFill, Dst: r.buffer, DstOff: r.offset, Size: wordBytes, Value: poison}})
		})
	}
	return nil
}

// lose reports a device lost when its time has come.
func (f fault) lose(s *Session) error {
	i := slices.IndexFunc(s.team, func(d *vk.Device) bool { return d.Info().Index == f.lost })
	if i < 0 || s.samples < lostAtSample {
		return nil
	}
	struck.Add(1)
	return &vk.CallError{Call: "vkQueueSubmit2", Device: s.label(i), Index: f.lost, Result: vk.DeviceLost}
}

// delay keeps the slow device busy longer and moves the end of the sample, by a
// share of the sample's own time, so that the slow-down is that share on a busy
// machine too. A short delay is spent without sleeping: waking up would slow the next
// sample by more than the share.
func (f fault) delay(ctx context.Context, s *Session, w *wall) error {
	i := slices.IndexFunc(s.team, func(d *vk.Device) bool { return !d.Absent() && d.Info().Index == f.slow })
	if s.deal != nil || i < 0 {
		return nil
	}
	more := time.Duration(f.share * float64(w.done-w.opened))
	w.slow, w.slowed = i, more.Nanoseconds()
	w.done += w.slowed
	struck.Add(1)
	return linger(ctx, more)
}

// drags says whether device i is slowed down now. One batch at a time is then handed to it:
// a second one would compute while the first is held back.
func (f fault) drags(s *Session, i int, now float64) bool {
	return s.team[i].Info().Index == f.slow && now >= f.from
}

// drag keeps a slow device at a batch that it began at last and was through with now, in
// seconds of the sample; lag is by how much.
func (f fault) drag(ctx context.Context, s *Session, i int, now, last float64) (lag float64, err error) {
	if !f.drags(s, i, now) {
		return 0, nil
	}
	lag = f.share * (now - last)
	struck.Add(1)
	return lag, linger(ctx, time.Duration(lag*1e9))
}

// linger waits. A sleep ends late, which would slow the device by more than asked: the
// last of it is spent awake.
func linger(ctx context.Context, more time.Duration) error {
	until := time.Now().Add(more)
	if more > shortDelay {
		select {
		case <-time.After(more - awake):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	for time.Now().Before(until) {
	}
	return nil
}

const (
	// shortDelay is spent without sleeping.
	shortDelay = 5 * time.Millisecond
	// awake is above what a sleep oversleeps.
	awake = 1500 * time.Microsecond
)
