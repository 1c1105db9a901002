package cuda

// #include <stdlib.h>
// #include "cuda.h"
import "C"

import "unsafe"

// Memory is memory of one device at one address for it and its peers.
type Memory struct {
	owner *Device
	c     C.cuda_memory
}

// Alloc makes at least size bytes that peers may read and write, and a file
// descriptor of them for one import, which belongs to the caller.
func (d *Device) Alloc(size uint64, peers []*Device) (*Memory, int, error) {
	list := make([]*C.cuda_device, len(peers)+1) // never empty
	for i, p := range peers {
		list[i] = p.c
	}
	m := &Memory{owner: d}
	var c C.cuda_memory
	var fd C.int
	var call *C.char
	r := C.cuda_memory_new(d.c, &list[0], C.size_t(len(peers)), C.size_t(size), &c, &fd, &call)
	if r != 0 {
		return nil, -1, d.lib.failure(r, call)
	}
	m.c = c
	return m, int(fd), nil
}

// Export makes another file descriptor of memory that Alloc made, for another process. It
// belongs to the caller.
func (m *Memory) Export() (int, error) {
	var fd C.int
	var call *C.char
	if r := C.cuda_memory_export(m.owner.c, &m.c, &fd, &call); r != 0 {
		return -1, m.owner.lib.failure(r, call)
	}
	return int(fd), nil
}

// Import maps memory of another device, which another process exported, so that d reads and
// writes it. size is that of the whole memory; fd stays the caller's. Closing it leaves the
// owner's memory as it is, which in turn may free it first.
func (d *Device) Import(fd int, size uint64) (*Memory, error) {
	m := &Memory{owner: d}
	var c C.cuda_memory
	var call *C.char
	if r := C.cuda_memory_import(d.c, C.int(fd), C.size_t(size), &c, &call); r != 0 {
		return nil, d.lib.failure(r, call)
	}
	m.c = c
	return m, nil
}

// Address is where the memory lies for CUDA.
func (m *Memory) Address() uint64 { return uint64(m.c.at) }

// Size is what was allocated, in bytes.
func (m *Memory) Size() uint64 { return uint64(m.c.size) }

// Close unmaps the memory; what others imported of it stays theirs. Safe twice.
func (m *Memory) Close() error {
	if m.c.size == 0 {
		return nil
	}
	c := m.c
	m.c = C.cuda_memory{}
	var call *C.char
	r := C.cuda_memory_free(m.owner.c, &c, &call)
	return m.owner.lib.failure(r, call)
}

// Stream copies away from its device. Its addresses are those of a copy engine
// as vk.CopyEngine describes it.
type Stream struct {
	device *Device
	c      *C.cuda_stream
}

// NewStream makes a stream.
func (d *Device) NewStream() (*Stream, error) {
	var s *C.cuda_stream
	var call *C.char
	if r := C.cuda_stream_new(d.c, &s, &call); r != 0 {
		return nil, d.lib.failure(r, call)
	}
	return &Stream{d, s}, nil
}

// Engine returns the C addresses of start, poll and what they work on.
func (s *Stream) Engine() (start, poll, context uintptr) {
	return uintptr(C.cuda_stream_start), uintptr(C.cuda_stream_poll), uintptr(unsafe.Pointer(s.c))
}

// Explain turns an error code of start or poll, the last of which failed, into an error with
// the name of the call.
func (s *Stream) Explain(code int32) error {
	call := "CUDA copy"
	if s.c != nil && s.c.failed != nil {
		call = C.GoString(s.c.failed)
	}
	return s.device.lib.Explain(code, call)
}

// Close destroys the stream, on which nothing may be under way. Safe twice.
func (s *Stream) Close() error {
	if s.c == nil {
		return nil
	}
	var call *C.char
	r := C.cuda_stream_free(s.c, &call)
	s.c = nil
	return s.device.lib.failure(r, call)
}
