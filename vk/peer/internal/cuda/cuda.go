// Package cuda is NVIDIA's driver as a copy engine: memory that one GPU owns,
// its peers reach and Vulkan imports, and streams that copy between GPUs. No
// kernels, no copies within a GPU, no semaphores: what CUDA runs on its compute
// channel beside Vulkan compute costs 0.3 ms a turn, and peer copies do not.
// libcuda.so.1 is opened when it is first asked for; a machine without it only
// lacks this package's abilities.
package cuda

/*
#cgo CFLAGS: -O2 -Wall -Wextra
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "cuda.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// ErrAbsent: there is no usable CUDA driver, or it does not have the device.
var ErrAbsent = errors.New("CUDA is not there")

// ErrOutOfMemory: the device has not enough memory.
var ErrOutOfMemory = errors.New("out of memory")

// Library is the opened driver with the devices that were asked for. Primary
// contexts live as long as the process: retaining one takes a tenth of a second.
type Library struct {
	c       *C.cuda_library
	mu      sync.Mutex
	devices map[[16]byte]*Device
}

var (
	opening sync.Mutex
	opened  = map[string]*Library{} // by path
)

// Open opens the driver, once for each path a process names in
// AMGPU_CUDA_LIBRARY (default: libcuda.so.1).
func Open() (*Library, error) {
	path := os.Getenv("AMGPU_CUDA_LIBRARY")
	if path == "" {
		path = "libcuda.so.1"
	}
	opening.Lock()
	defer opening.Unlock()
	if l := opened[path]; l != nil {
		return l, nil
	}
	var text [512]C.char
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	c := C.cuda_open(cpath, &text[0], C.size_t(len(text)))
	if c == nil {
		return nil, fmt.Errorf("%w: %s", ErrAbsent, C.GoString(&text[0]))
	}
	l := &Library{c: c, devices: map[[16]byte]*Device{}}
	opened[path] = l
	return l, nil
}

// Error is a call that failed.
type Error struct {
	Call, Name string
	Code       int32
}

func (e *Error) Error() string { return e.Call + ": " + e.Name }

// Is makes CUDA_ERROR_OUT_OF_MEMORY match ErrOutOfMemory.
func (e *Error) Is(target error) bool { return target == ErrOutOfMemory && e.Code == 2 }

func (l *Library) failure(r C.CUresult, call *C.char) error {
	if r == 0 {
		return nil
	}
	return l.Explain(int32(r), C.GoString(call))
}

// Explain turns the code of a call's error into an error.
func (l *Library) Explain(code int32, call string) error {
	var text [128]C.char
	C.cuda_error_name(l.c, C.CUresult(code), &text[0], C.size_t(len(text)))
	return &Error{Call: call, Name: C.GoString(&text[0]), Code: code}
}

// Device is a GPU with its primary context.
type Device struct {
	lib *Library
	c   *C.cuda_device // C memory: streams point to it
}

// Device finds the GPU with a UUID. The error wraps ErrAbsent where the driver
// has none or it cannot share memory.
func (l *Library) Device(uuid [16]byte) (*Device, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d := l.devices[uuid]; d != nil {
		return d, nil
	}
	c := (*C.cuda_device)(C.calloc(1, C.sizeof_cuda_device))
	if c == nil {
		return nil, fmt.Errorf("%w: out of host memory", ErrAbsent)
	}
	var found, suitable C.int
	var call *C.char
	r := C.cuda_device_find(l.c, (*C.uchar)(&uuid[0]), c, &found, &call)
	if r == 0 && found != 0 {
		r = C.cuda_device_prepare(c, &suitable, &call)
	}
	err := l.failure(r, call)
	switch {
	case err != nil:
	case found == 0:
		err = fmt.Errorf("%w for this device: no CUDA device has its UUID", ErrAbsent)
	case suitable == 0:
		err = fmt.Errorf("%w for this device: it cannot map memory that others import", ErrAbsent)
	default:
		d := &Device{l, c}
		l.devices[uuid] = d
		return d, nil
	}
	C.free(unsafe.Pointer(c))
	return nil, err
}

// ReachesUUID says whether d can read and write memory of the GPU with a UUID, of which it needs
// no context. shown is false where the driver hides that GPU from this process
// (CUDA_VISIBLE_DEVICES): whether d reaches it is not known then.
func (d *Device) ReachesUUID(peer [16]byte) (can, shown bool, err error) {
	var found, reach C.int
	var call *C.char
	r := C.cuda_can_reach_uuid(d.c, (*C.uchar)(&peer[0]), &found, &reach, &call)
	return reach != 0, found != 0, d.lib.failure(r, call)
}

// Reaches says whether d can read and write memory of peer.
func (d *Device) Reaches(peer *Device) (bool, error) {
	var can C.int
	var call *C.char
	r := C.cuda_can_reach(d.c, peer.c, &can, &call)
	return can != 0, d.lib.failure(r, call)
}
