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
}

// Device is an opened device with one compute queue. Everything made from it
// is freed with it.
type Device struct {
	adapter *Adapter
	raw     *raw.Device
	options DeviceOptions
	name    string
	lost    atomic.Bool
	memory  *memory
	kernels map[*Kernel]struct{}
	pools   []*setPool
	queries map[*Queries]struct{}
}

// Open makes a fresh device.
func (a *Adapter) Open(o DeviceOptions) (*Device, error) {
	if a.err != nil {
		return nil, a.err
	}
	bits, err := a.featureBits(o.Features)
	if err != nil {
		return nil, err
	}
	r, code, text := a.instance.raw.OpenDevice(a.physical, uint32(a.computeFamily()), bits)
	if code != 0 {
		err := error(&CallError{Call: "vkCreateDevice", Device: a.info.Name, Result: Result(code)})
		if text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return nil, err
	}
	a.instance.open.Add(1)
	d := &Device{
		adapter: a, raw: r, options: o, name: fmt.Sprintf("device %d (%s)", a.info.Index, a.info.Name),
		kernels: map[*Kernel]struct{}{}, queries: map[*Queries]struct{}{},
	}
	d.memory = newMemory(d)
	return d, nil
}

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
	return &CallError{Call: fmt.Sprintf(call, args...), Device: d.name, Result: Result(code)}
}

// Lost says whether a call has reported the device lost.
func (d *Device) Lost() bool { return d.lost.Load() }

// waitSlice bounds one blocking wait, so that a cancelled context is seen.
const waitSlice = 50 * time.Millisecond

// drainTime bounds the wait for work that was given up: a driver that does not
// come back in it will hardly do so later.
const drainTime = 10 * time.Second

// Do submits recorded commands and waits until they are done. When ctx ends
// first it still waits for the work (commands may not be freed under way), for
// at most drainTime, then returns the context's error.
func (d *Device) Do(ctx context.Context, c *Commands) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c == nil || c.device != d {
		return fmt.Errorf("commands that are closed or not of %s", d.name)
	}
	if err := d.call(d.raw.Submit(c.raw), "vkQueueSubmit2"); err != nil {
		return err
	}
	var ended time.Time
	for {
		code := d.raw.WaitDone(uint64(waitSlice))
		if Result(code) == Timeout {
			switch {
			case ctx.Err() == nil:
				continue
			case ended.IsZero():
				ended = time.Now()
				continue
			case time.Since(ended) < drainTime:
				continue
			}
		}
		return errors.Join(d.call(code, "vkWaitSemaphores"), ctx.Err())
	}
}

// Close waits for the device unless it is lost and frees everything made from
// it. Safe on nil and twice.
func (d *Device) Close() error {
	if d == nil || d.raw == nil {
		return nil
	}
	var errs []error
	if !d.Lost() {
		errs = append(errs, d.call(d.raw.WaitIdle(), "vkDeviceWaitIdle"))
	}
	for q := range d.queries {
		errs = append(errs, q.Close())
	}
	d.ResetSets()
	for k := range d.kernels {
		errs = append(errs, k.Close())
	}
	errs = append(errs, d.memory.close())
	d.raw.Close(d.Lost())
	d.raw = nil
	d.adapter.instance.open.Add(-1)
	return errors.Join(errs...)
}
