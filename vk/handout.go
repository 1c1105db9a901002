package vk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// Ticket names a batch that was handed to a device; later ones are larger.
type Ticket uint64

// Hand submits command buffers as one batch, without waiting. gated: the batch, and all
// that is handed to the device after it, starts when OpenGate is called next. Command
// buffers of a batch run in any order unless they hold barriers, and none may be under
// way already. It must be called from one thread at a time.
func (d *Device) Hand(list []*Commands, gated bool) (Ticket, error) {
	if len(list) > raw.HandMost {
		return 0, fmt.Errorf("batch of %d command buffers on %s, at most %d", len(list), d.name, raw.HandMost)
	}
	d.handed = d.handed[:0]
	for _, c := range list {
		if c == nil || c.device != d {
			return 0, fmt.Errorf("commands that are closed or not of %s", d.name)
		}
		d.handed = append(d.handed, uint64(c.raw))
	}
	t, code := d.raw.Hand(d.handed, gated)
	return Ticket(t), d.call(code, "vkQueueSubmit2")
}

// pollSlice bounds one polling wait, so that a cancelled context is seen.
const pollSlice = time.Millisecond

// Await waits until a batch is done: on CPU devices blocking, else polling. When ctx ends
// or the device exceeds its time-out it still waits for the work, for a bounded time, and
// returns the error; the device is stuck if that was in vain.
func (d *Device) Await(ctx context.Context, t Ticket) error {
	poll := !d.Info().Software()
	slice := waitSlice
	if poll {
		slice = pollSlice
	}
	return d.settle(ctx, func() int32 { return d.raw.HandWait(uint64(t), uint64(slice), poll) })
}

// OpenGate opens the gate of a team: work that was handed out gated starts, on all
// devices at once. opened is just before the first signal and signalled when each device
// had its own, in nanoseconds of CLOCK_MONOTONIC_RAW. On an error the gates of all
// devices that can be told are open, too.
func OpenGate(devices []*Device, signalled []int64) (opened int64, err error) {
	if len(devices) == 0 || len(signalled) != len(devices) {
		return 0, errors.New("a gate needs devices, and a time for each")
	}
	handles := make([]*raw.Device, len(devices))
	for i, d := range devices {
		handles[i] = d.raw
	}
	opened, failed, code := raw.OpenGate(handles, signalled)
	return opened, devices[failed].call(code, "vkSignalSemaphore")
}

// Now is CLOCK_MONOTONIC_RAW in nanoseconds.
func Now() int64 { return raw.Now() }
