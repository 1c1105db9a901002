//go:build mpi

package mpi

/*
#include <stdlib.h>
#include "post.h"

static uintptr_t post_start_at(void) { return (uintptr_t)post_start; }
static uintptr_t post_poll_at(void) { return (uintptr_t)post_poll; }
*/
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unsafe"
)

// World is all ranks of the job that this process is one of.
type World struct{ rank, size int }

// ErrLate is that MPI_Init does not come back, as it waits for all ranks.
var ErrLate = errors.New("MPI_Init_thread did not come back")

// Init joins the job that the launcher started. It gives up after a time, as another rank may
// never come; this process can then do nothing with MPI any more.
func Init(most time.Duration) (*World, error) {
	type begun struct {
		rank, size, code C.int32_t
	}
	over := make(chan begun, 1)
	go func() {
		var b begun
		b.code = C.post_init(&b.rank, &b.size)
		over <- b
	}()
	select {
	case b := <-over:
		if b.code != 0 {
			return nil, fmt.Errorf("MPI_Init_thread: %w", explain(b.code))
		}
		return &World{int(b.rank), int(b.size)}, nil
	case <-time.After(most):
		return nil, fmt.Errorf("%w within %v", ErrLate, most)
	}
}

// Library names the MPI in use and its version: the first line of what it says of itself, up to
// how it was packaged.
func Library() string {
	text := make([]byte, 256)
	C.post_library((*C.char)(unsafe.Pointer(&text[0])), C.uint32_t(len(text)))
	name, _, _ := strings.Cut(string(text), "\x00")
	name, _, _ = strings.Cut(name, "\n")
	name, _, _ = strings.Cut(name, ", package")
	return strings.Join(strings.Fields(name), " ")
}

// Rank is the number of this process.
func (w *World) Rank() int { return w.rank }

// Size is the number of processes.
func (w *World) Size() int { return w.size }

// Name is what the transport is called.
func (w *World) Name() string { return "mpi" }

// Finalize leaves the job, in which all ranks must be ready to leave; it gives up after a
// time, as another one may never come.
func (w *World) Finalize(most time.Duration) error {
	over := make(chan C.int32_t, 1)
	go func() { over <- C.post_finalize() }()
	select {
	case code := <-over:
		return explain(code)
	case <-time.After(most):
		return fmt.Errorf("MPI_Finalize did not come back within %v", most)
	}
}

// Abort ends all processes of the job with an exit code.
func (w *World) Abort(code int) { C.post_abort(C.int32_t(code)) }

// Send queues a frame.
func (w *World) Send(to int, frame []byte) error {
	return explain(C.post_send(C.int32_t(to), unsafe.Pointer(unsafe.SliceData(frame)), C.uint32_t(len(frame))))
}

// Receive returns the next frame that has arrived.
func (w *World) Receive() (from int, frame []byte, ok bool, err error) {
	var source C.int32_t
	var bytes unsafe.Pointer
	var size C.uint32_t
	if code := C.post_receive(&source, &bytes, &size); code != 0 {
		return 0, nil, false, explain(code)
	}
	if bytes == nil {
		return 0, nil, false, nil
	}
	frame = C.GoBytes(bytes, C.int(size))
	C.free(bytes)
	return int(source), frame, true, nil
}

// Ping times n round trips to a rank in Pong; see cluster.Net.
func (w *World) Ping(to, n int, most int64) (began, there, over []int64, err error) {
	began, there, over = make([]int64, n), make([]int64, n), make([]int64, n)
	at := func(s []int64) *C.int64_t { return (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(s))) }
	err = explain(C.post_ping(C.int32_t(to), C.uint32_t(n), at(began), at(there), at(over), C.int64_t(most)))
	return began, there, over, err
}

// Pong answers Ping.
func (w *World) Pong(from, n int, most int64) error {
	return explain(C.post_pong(C.int32_t(from), C.uint32_t(n), C.int64_t(most)))
}

// Engine opens what carries the parcels of a channel.
func (w *World) Engine(channel int) (*Engine, error) {
	c := C.post_open(C.uint32_t(channel))
	if c == nil {
		return nil, explain(C.POST_MEMORY)
	}
	return &Engine{c}, nil
}

// Engine carries parcels.
type Engine struct{ c *C.post_end }

// Functions are the addresses of a vk.CopyEngine.
func (e *Engine) Functions() (start, poll, context uintptr) {
	return uintptr(C.post_start_at()), uintptr(C.post_poll_at()), uintptr(unsafe.Pointer(e.c))
}

// Explain says what an error code means.
func (e *Engine) Explain(code int32) error { return explain(C.int32_t(code)) }

// Stop gives up what is under way, and all that is started later.
func (e *Engine) Stop() { C.post_stop(e.c) }

// Close frees it.
func (e *Engine) Close() error {
	C.post_close(e.c)
	e.c = nil
	return nil
}

func explain(code C.int32_t) error {
	switch code {
	case 0:
		return nil
	case C.POST_STOPPED:
		return errors.New("given up")
	case C.POST_MEMORY:
		return errors.New("out of memory")
	case C.POST_LATE:
		return errors.New("no answer in time")
	case C.POST_THREADS:
		return errors.New("this MPI was built without support for threads")
	}
	text := make([]byte, 512)
	C.post_explain(code, (*C.char)(unsafe.Pointer(&text[0])), C.uint32_t(len(text)))
	name, _, _ := strings.Cut(string(text), "\x00")
	return fmt.Errorf("MPI: %s", name)
}
