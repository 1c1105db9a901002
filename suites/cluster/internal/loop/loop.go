// Package loop is a job within one process: its ranks are goroutines, and what they send
// each other is copied in memory. It stands in for MPI where none is there, in tests.
package loop

/*
#include "loop.h"

static uintptr_t loop_start_at(void) { return (uintptr_t)loop_start; }
static uintptr_t loop_poll_at(void) { return (uintptr_t)loop_poll; }
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Hub connects the ranks of a job.
type Hub struct {
	c      *C.loop_hub
	mu     sync.Mutex
	frames [][]frame // by receiver
	gone   []bool
}

type frame struct {
	from  int
	bytes []byte
}

// New makes a job of n ranks.
func New(n int) (*Hub, error) {
	c := C.loop_hub_new()
	if c == nil {
		return nil, errors.New("out of memory")
	}
	return &Hub{c: c, frames: make([][]frame, n), gone: make([]bool, n)}, nil
}

// Close frees the hub; no rank may use it any more.
func (h *Hub) Close() { C.loop_hub_free(h.c) }

// Silence lets a rank vanish: nothing it sends arrives any more, as if its process had died.
func (h *Hub) Silence(rank int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone[rank] = true
}

// Rank is one rank of the job.
func (h *Hub) Rank(rank int) *Net { return &Net{hub: h, rank: rank} }

// Net implements the net of package cluster.
type Net struct {
	hub  *Hub
	rank int
}

// Rank is the number of the rank.
func (r *Net) Rank() int { return r.rank }

// Size is the number of ranks.
func (r *Net) Size() int { return len(r.hub.frames) }

// Name is what the transport is called.
func (r *Net) Name() string { return "loop" }

// Send queues a frame.
func (r *Net) Send(to int, bytes []byte) error {
	h := r.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.gone[r.rank] {
		h.frames[to] = append(h.frames[to], frame{r.rank, append([]byte(nil), bytes...)})
	}
	return nil
}

// Receive returns the next frame that has arrived.
func (r *Net) Receive() (from int, bytes []byte, ok bool, err error) {
	h := r.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.frames[r.rank]
	if len(list) == 0 {
		return 0, nil, false, nil
	}
	h.frames[r.rank] = list[1:]
	return list[0].from, list[0].bytes, true, nil
}

// Ping times n round trips to a rank: by round, when it began, the clock of the other, when
// it was over. All ranks have one clock.
func (r *Net) Ping(_, n int, _ int64) (began, there, over []int64, err error) {
	for range n {
		var at [3]int64
		for i := range at {
			var t unix.Timespec
			if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &t); err != nil {
				return nil, nil, nil, err
			}
			at[i] = t.Nano()
		}
		began, there, over = append(began, at[0]), append(there, at[1]), append(over, at[2])
	}
	return began, there, over, nil
}

// Pong answers Ping.
func (r *Net) Pong(_, _ int, _ int64) error { return nil }

// Engine opens an end in a channel.
func (r *Net) Engine(channel int) (*Engine, error) {
	c := C.loop_end_new(r.hub.c, C.uint32_t(r.rank), C.uint32_t(channel))
	if c == nil {
		return nil, errors.New("out of memory")
	}
	return &Engine{c}, nil
}

// Engine carries parcels.
type Engine struct{ c *C.loop_end }

// Functions are the addresses of a vk.CopyEngine.
func (e *Engine) Functions() (start, poll, context uintptr) {
	return uintptr(C.loop_start_at()), uintptr(C.loop_poll_at()), uintptr(unsafe.Pointer(e.c))
}

// Explain says what an error code means.
func (e *Engine) Explain(code int32) error {
	switch code {
	case C.LOOP_STOPPED:
		return errors.New("given up")
	case C.LOOP_LENGTH:
		return errors.New("sender and receiver expect other lengths")
	case C.LOOP_MEMORY:
		return errors.New("out of memory")
	}
	return fmt.Errorf("code %d", code)
}

// Stop gives up what is under way, and all that is started later.
func (e *Engine) Stop() { C.loop_end_stop(e.c) }

// Close frees the end.
func (e *Engine) Close() error {
	C.loop_end_free(e.c)
	e.c = nil
	return nil
}
