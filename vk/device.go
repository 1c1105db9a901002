package vk

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// DeviceOptions for Adapter.Open.
type DeviceOptions struct {
	CacheDir string // folder of the pipeline cache; empty: none
	// Features are switched on, by their names in Features.Names; only those that
	// kernels need (Enableable). Open fails with ErrUnsupported where one is lacking.
	Features []string
	// SyncTimeout is how long the device may take for one submission or one phase of
	// a schedule; 0: any time.
	SyncTimeout time.Duration
	// MemoryBudget is the most bytes of device memory that buffers may take; 0: what
	// there is.
	MemoryBudget uint64
}

// Device is an opened device with one compute queue and a second one for copies, as far
// as it has two. Everything made from it is freed with it.
type Device struct {
	adapter *Adapter
	raw     *raw.Device
	options DeviceOptions
	name    string
	lost    atomic.Bool
	stuck   atomic.Bool // work is under way that nobody waits for any more
	memory  *memory
	kernels map[*Kernel]struct{}
	pools   []*setPool
	queries map[*Queries]struct{}
	handed  []uint64 // command buffers of the batch that is handed out
	flat    []uint64 // operations of commands that are recorded again
}

// Open makes a fresh device.
func (a *Adapter) Open(o DeviceOptions) (*Device, error) {
	if a.err != nil {
		return nil, a.err
	}
	if a.absent {
		return a.openAbsent(), nil
	}
	bits, err := a.featureBits(o.Features)
	if err != nil {
		return nil, err
	}
	r, code, text := a.instance.raw.OpenDevice(a.physical, uint32(a.computeFamily()), uint32(a.besideFamily()), bits)
	if code != 0 {
		err := error(&CallError{Call: "vkCreateDevice", Device: deviceName(a.info), Index: a.info.Index, Result: Result(code)})
		if text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return nil, err
	}
	a.instance.open.Add(1)
	d := &Device{
		adapter: a, raw: r, options: o, name: deviceName(a.info),
		kernels: map[*Kernel]struct{}{}, queries: map[*Queries]struct{}{},
	}
	d.memory = newMemory(d)
	return d, nil
}

func deviceName(i *Info) string { return fmt.Sprintf("device %d (%s)", i.Index, i.Name) }

// Info describes the device.
func (d *Device) Info() *Info { return d.adapter.info }

// call turns a result into an error, remembering a lost device.
func (d *Device) call(code int32, call string, args ...any) error {
	if code == 0 {
		return nil
	}
	if Result(code) == DeviceLost {
		d.lost.Store(true)
	}
	return &CallError{Call: fmt.Sprintf(call, args...), Device: d.name, Index: d.Info().Index, Result: Result(code)}
}

// Lost says whether a call has reported the device lost.
func (d *Device) Lost() bool { return d.lost.Load() }

// Stuck says whether work is under way that was given up: nothing of the device can
// be freed any more.
func (d *Device) Stuck() bool { return d.stuck.Load() }

// waitSlice bounds one blocking wait, so that a cancelled context is seen.
const waitSlice = 50 * time.Millisecond

// drainTime bounds the wait for work that was given up: a driver that does not
// come back in it will hardly do so later.
const drainTime = 10 * time.Second

// minDrain is the least such wait: a device that was slow gets a chance to end.
const minDrain = 2 * time.Second

// Do submits recorded commands and waits until they are done. When ctx ends
// first it still waits for the work (commands may not be freed under way), for
// at most drainTime, then returns the context's error.
func (d *Device) Do(ctx context.Context, c *Commands) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.usable(); err != nil {
		return err
	}
	if c == nil || c.device != d {
		return fmt.Errorf("commands that are closed or not of %s", d.name)
	}
	if err := d.call(d.raw.Submit(c.raw), "vkQueueSubmit2"); err != nil {
		return err
	}
	return d.settle(ctx, func() int32 { return d.raw.WaitDone(uint64(waitSlice)) })
}

// settle waits for work under way by calls of wait, each of a bounded time. When ctx
// ends or the time-out of the device is over it goes on waiting, for at most drainTime.
func (d *Device) settle(ctx context.Context, wait func() int32) error {
	var late error
	var since time.Time // the work was given up
	begun, drain := time.Now(), drainTime
	for {
		code := wait()
		switch {
		case code == 0 || Result(code) == DeviceLost:
			return errors.Join(d.call(code, "vkWaitSemaphores"), late, ctx.Err())
		case Result(code) != Timeout: // it may still be at work
			err := d.call(code, "vkWaitSemaphores")
			if idle := Result(d.raw.WaitIdle(uint64(drainTime))); idle == DeviceLost {
				d.lost.Store(true)
			} else if idle != Success {
				d.stuck.Store(true)
			}
			return errors.Join(err, late, ctx.Err())
		case since.IsZero() && ctx.Err() != nil:
			since = time.Now()
		case since.IsZero() && d.options.SyncTimeout > 0 && time.Since(begun) > d.options.SyncTimeout:
			since, drain = time.Now(), min(drainTime, max(d.options.SyncTimeout, minDrain))
			late = d.call(code, "time-out of %v waiting for a submission", d.options.SyncTimeout)
		case !since.IsZero() && time.Since(since) > drain:
			d.stuck.Store(true)
			return errors.Join(late, ctx.Err(), fmt.Errorf("%s: %w", d.name, ErrStuck))
		}
	}
}

// usable refuses new work while old work is under way that was given up: what it uses
// cannot be used again.
func (d *Device) usable() error {
	if d.Stuck() {
		return fmt.Errorf("%s: %w", d.name, ErrStuck)
	}
	return nil
}

// untouchable says whether nothing made from the device may be freed: it is closed, so
// that all is gone, or stuck, so that it may still be used.
func (d *Device) untouchable() bool { return d.raw == nil || d.Stuck() }

// Close waits for the device, for at most drainTime, unless it is lost, and frees
// everything made from it. A device that is stuck is left as it is. Safe on nil and twice.
func (d *Device) Close() error {
	if d == nil || d.raw == nil {
		return nil
	}
	var errs []error
	if !d.Lost() && !d.Stuck() {
		code := d.raw.WaitIdle(uint64(drainTime))
		errs = append(errs, d.call(code, "vkWaitSemaphores at its end"))
		d.stuck.Store(Result(code) == Timeout)
	}
	if d.Stuck() {
		d.raw = nil
		d.adapter.instance.open.Add(-1)
		d.adapter.instance.abandoned.Store(true)
		return errors.Join(append(errs, fmt.Errorf("closing %s: %w; it is left as it is", d.name, ErrStuck))...)
	}
	for q := range d.queries {
		errs = append(errs, q.Close())
	}
	d.ResetSets()
	for k := range d.kernels {
		errs = append(errs, k.Close())
	}
	errs = append(errs, d.memory.close())
	d.raw.Close()
	d.raw = nil
	d.adapter.instance.open.Add(-1)
	return errors.Join(errs...)
}
