// Package raw is the thin cgo layer over Vulkan: C opens the loader and builds
// every struct, Go passes scalars, handles and flat slices that are only used
// during the call. No Go pointer stays in C memory.
package raw

/*
#cgo CFLAGS: -O2 -Wall -Wextra
#cgo LDFLAGS: -ldl -lpthread
#include <stdlib.h>
#include "raw.h"
*/
import "C"

import "unsafe"

// Results of Open besides VkResult values.
const (
	NoLibrary    = C.RAW_NO_LIBRARY
	NoSymbol     = C.RAW_NO_SYMBOL
	NoValidation = C.RAW_NO_VALIDATION
)

// Instance is a loaded Vulkan library with one VkInstance.
type Instance struct{ c *C.raw_instance }

// Physical is a VkPhysicalDevice.
type Physical uintptr

// Message is one message of the validation layer.
type Message struct {
	Severity int
	ID, Text string
}

// Open loads the library at path (empty: the system's) and creates an instance.
// A result other than 0 is a VkResult or one of the constants above; text says
// more.
func Open(path string, validation bool) (*Instance, int32, string) {
	var text [2048]C.char
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	v := C.int(0)
	if validation {
		v = 1
	}
	var in *C.raw_instance
	r := C.raw_open(cpath, v, &in, &text[0], C.size_t(len(text)))
	if r != 0 {
		return nil, int32(r), C.GoString(&text[0])
	}
	return &Instance{in}, 0, ""
}

// Close destroys the instance.
func (in *Instance) Close() { C.raw_close(in.c) }

// LoaderVersion is the packed Vulkan version of the loader.
func (in *Instance) LoaderVersion() uint32 { return uint32(in.c.loader_version) }

// Messages fetches the messages since the last call, and how many were lost.
func (in *Instance) Messages() ([]Message, int) {
	buf := make([]C.raw_message, C.RAW_MESSAGES)
	var lost C.int32_t
	n := C.raw_messages(in.c, &buf[0], C.RAW_MESSAGES, &lost)
	out := make([]Message, n)
	for i := range out {
		out[i] = Message{int(buf[i].severity), C.GoString(&buf[i].id[0]), C.GoString(&buf[i].text[0])}
	}
	return out, int(lost)
}

// Physical lists the physical devices.
func (in *Instance) Physical() ([]Physical, int32) {
	var n C.uint32_t
	if r := C.raw_physical(in.c, nil, &n); r != 0 || n == 0 {
		return nil, int32(r)
	}
	list := make([]C.VkPhysicalDevice, n)
	r := C.raw_physical(in.c, &list[0], &n)
	out := make([]Physical, n)
	for i := range out {
		out[i] = Physical(uintptr(unsafe.Pointer(list[i])))
	}
	return out, int32(r)
}

// Device is a VkDevice with a queue and its function table.
type Device struct{ c *C.raw_device }

// OpenDevice creates the device with one queue of the family, a second one of the family
// beside (the same family: the one queue is both) and the Feature* bits of OnRequest
// that are asked for switched on; the device must have them.
func (in *Instance) OpenDevice(p Physical, family, beside, features uint32) (*Device, int32, string) {
	var text [512]C.char
	var d *C.raw_device
	r := C.raw_device_open(in.c, physical(p), C.uint32_t(family), C.uint32_t(beside), C.uint32_t(features), &d, &text[0], C.size_t(len(text)))
	if r != 0 {
		return nil, int32(r), C.GoString(&text[0])
	}
	return &Device{d}, 0, ""
}

// physical turns the opaque number back into the handle C gave out.
func physical(p Physical) C.VkPhysicalDevice {
	return *(*C.VkPhysicalDevice)(unsafe.Pointer(&p))
}

// Beside is the device with its second queue, for recording and schedules; it is closed
// with the device.
func (d *Device) Beside() *Device { return &Device{d.c.beside} }

// Close destroys the device, which must be idle or lost.
func (d *Device) Close() { C.raw_device_close(d.c) }

// WaitIdle waits for all work of the device, at most timeout nanoseconds (result 2:
// VK_TIMEOUT).
func (d *Device) WaitIdle(timeout uint64) int32 {
	return int32(C.raw_wait_idle(d.c, C.uint64_t(timeout)))
}

// HostImport says whether host memory can be imported.
func (d *Device) HostImport() bool { return d.c.has_host_import != 0 }

// Calibration says whether calibrated timestamps exist.
func (d *Device) Calibration() bool { return d.c.has_calibration != 0 }

// Handles of device objects, opaque.
type (
	Memory   uint64
	Buffer   uint64
	Set      uint64
	Pool     uint64
	Queries  uint64
	Commands uintptr
)

// Alloc allocates device memory, mapped when asked for.
func (d *Device) Alloc(size uint64, memType uint32, mapped bool) (Memory, unsafe.Pointer, int32) {
	var mem C.VkDeviceMemory
	var ptr unsafe.Pointer
	m := C.int(0)
	if mapped {
		m = 1
	}
	r := C.raw_alloc(d.c, C.uint64_t(size), C.uint32_t(memType), m, &mem, &ptr)
	return Memory(mem), ptr, int32(r)
}

// ImportHost imports page-aligned host memory as device memory.
func (d *Device) ImportHost(host unsafe.Pointer, size uint64, typeBits uint32) (Memory, uint32, int32) {
	var mem C.VkDeviceMemory
	var t C.uint32_t
	r := C.raw_import_host(d.c, host, C.uint64_t(size), C.uint32_t(typeBits), &mem, &t)
	return Memory(mem), uint32(t), int32(r)
}

// Free frees memory.
func (d *Device) Free(m Memory) { C.raw_free(d.c, C.VkDeviceMemory(m)) }

// Kinds of memory a buffer may lie in.
const (
	Own    = C.RAW_OWN
	Host   = C.RAW_HOST
	Fd     = C.RAW_FD
	DmaBuf = C.RAW_DMA_BUF
)

// ImportFd imports memory behind a file descriptor, which then belongs to the
// device; after an error it is still the caller's.
func (d *Device) ImportFd(kind, fd int, size uint64, memType uint32) (Memory, int32) {
	var mem C.VkDeviceMemory
	r := C.raw_import_fd(d.c, C.int(kind), C.int(fd), C.uint64_t(size), C.uint32_t(memType), &mem)
	return Memory(mem), int32(r)
}

// DmaBufTypes is the set of memory types that can import a dma-buf.
func (d *Device) DmaBufTypes(fd int) (types uint32, result int32) {
	var t C.uint32_t
	r := C.raw_dma_buf_types(d.c, C.int(fd), &t)
	return uint32(t), int32(r)
}

// AllocShared is Alloc of memory that others import through fd, which the caller
// must close.
func (d *Device) AllocShared(kind int, size uint64, memType uint32, mapped bool) (mem Memory, ptr unsafe.Pointer, fd int, result int32) {
	var cmem C.VkDeviceMemory
	var cfd C.int
	m := C.int(0)
	if mapped {
		m = 1
	}
	r := C.raw_alloc_shared(d.c, C.int(kind), C.uint64_t(size), C.uint32_t(memType), m, &cmem, &ptr, &cfd)
	return Memory(cmem), ptr, int(cfd), int32(r)
}

// Shares says whether memory of a kind can be imported and exported.
func (d *Device) Shares(kind int) bool {
	return kind == Fd && d.c.has_fd != 0 || kind == DmaBuf && d.c.has_dma_buf != 0
}

// NewBuffer creates a storage buffer for memory of a kind.
func (d *Device) NewBuffer(size uint64, kind int) (b Buffer, need, align uint64, types uint32, result int32) {
	var buf C.VkBuffer
	var n, a C.uint64_t
	var t C.uint32_t
	r := C.raw_buffer(d.c, C.uint64_t(size), C.int(kind), &buf, &n, &a, &t)
	return Buffer(buf), uint64(n), uint64(a), uint32(t), int32(r)
}

// Bind gives a buffer its memory.
func (d *Device) Bind(b Buffer, m Memory, offset uint64) int32 {
	return int32(C.raw_bind(d.c, C.VkBuffer(b), C.VkDeviceMemory(m), C.uint64_t(offset)))
}

// FreeBuffer destroys a buffer.
func (d *Device) FreeBuffer(b Buffer) { C.raw_buffer_free(d.c, C.VkBuffer(b)) }

// Bounds of NewKernel.
const (
	MaxBindings = C.RAW_MAX_BINDINGS
	MaxSpec     = C.RAW_MAX_SPEC
)

// Kernel is a compute pipeline with its layouts.
type Kernel struct {
	c        C.raw_kernel
	Pipeline uint64
	Layout   uint64
}

// NewKernel builds a pipeline. spec holds pairs (id, value); subgroup is the size that
// subgroups must have, all of them full, 0: any. Cache data of an
// earlier build may be given; without it the data of this one is returned.
func (d *Device) NewKernel(code []uint32, entry string, bindings, pushBytes int, spec []uint32, subgroup uint32, cache []byte) (*Kernel, []byte, int32) {
	k := new(Kernel)
	var ck C.raw_kernel
	var specPtr *C.uint32_t
	if len(spec) > 0 {
		specPtr = (*C.uint32_t)(unsafe.Pointer(&spec[0]))
	}
	var cachePtr unsafe.Pointer
	if len(cache) > 0 {
		cachePtr = unsafe.Pointer(&cache[0])
	}
	name := C.CString(entry)
	defer C.free(unsafe.Pointer(name))
	var out unsafe.Pointer
	var outSize C.uint64_t
	r := C.raw_kernel_new(d.c, (*C.uint32_t)(unsafe.Pointer(&code[0])), C.uint64_t(len(code)), name, C.uint32_t(bindings), C.uint32_t(pushBytes),
		specPtr, C.uint32_t(len(spec)/2), C.uint32_t(subgroup), cachePtr, C.uint64_t(len(cache)), &ck, &out, &outSize)
	if r != 0 {
		return nil, nil, int32(r)
	}
	k.c, k.Pipeline, k.Layout = ck, uint64(ck.pipeline), uint64(ck.layout)
	var data []byte
	if out != nil {
		data = C.GoBytes(out, C.int(outSize))
		C.free(out)
	}
	return k, data, 0
}

// FreeKernel destroys a pipeline and its layouts.
func (d *Device) FreeKernel(k *Kernel) {
	c := k.c
	C.raw_kernel_free(d.c, &c)
}

// NewPool creates a descriptor pool for sets with buffers descriptors in all.
func (d *Device) NewPool(sets, buffers int) (Pool, int32) {
	var p C.VkDescriptorPool
	r := C.raw_set_pool(d.c, C.uint32_t(sets), C.uint32_t(buffers), &p)
	return Pool(p), int32(r)
}

// FreePool destroys a descriptor pool and its sets.
func (d *Device) FreePool(p Pool) { C.raw_set_pool_free(d.c, C.VkDescriptorPool(p)) }

// NewSet allocates and writes a descriptor set; ranges holds triples (buffer,
// offset, size), one per binding.
func (d *Device) NewSet(p Pool, k *Kernel, ranges []uint64) (Set, int32) {
	var s C.VkDescriptorSet
	var ptr *C.uint64_t
	if len(ranges) > 0 {
		ptr = (*C.uint64_t)(unsafe.Pointer(&ranges[0]))
	}
	r := C.raw_set(d.c, C.VkDescriptorPool(p), k.c.sets, ptr, C.uint32_t(len(ranges)/3), &s)
	return Set(s), int32(r)
}

// UpdateSet binds other ranges to a set that nothing under way uses.
func (d *Device) UpdateSet(s Set, ranges []uint64) int32 {
	if len(ranges) == 0 {
		return 0
	}
	return int32(C.raw_set_update(d.c, C.VkDescriptorSet(s), (*C.uint64_t)(unsafe.Pointer(&ranges[0])), C.uint32_t(len(ranges)/3)))
}

// Operation codes and stage bits of Record.
const (
	OpDispatch    = C.RAW_DISPATCH
	OpCopy        = C.RAW_COPY
	OpFill        = C.RAW_FILL
	OpBarrier     = C.RAW_BARRIER
	OpTimestamp   = C.RAW_TIMESTAMP
	StageCompute  = C.RAW_STAGE_COMPUTE
	StageTransfer = C.RAW_STAGE_TRANSFER
	StageHost     = C.RAW_STAGE_HOST
)

// Record records a flat list of operations (see raw.h) into a command buffer.
func (d *Device) Record(ops []uint64) (Commands, int32) {
	var c C.VkCommandBuffer
	var ptr *C.uint64_t
	if len(ops) > 0 {
		ptr = (*C.uint64_t)(unsafe.Pointer(&ops[0]))
	}
	r := C.raw_record(d.c, ptr, C.uint64_t(len(ops)), &c)
	return Commands(uintptr(unsafe.Pointer(c))), int32(r)
}

// Rerecord replaces what a command buffer holds, in one call.
func (d *Device) Rerecord(c Commands, ops []uint64) int32 {
	var ptr *C.uint64_t
	if len(ops) > 0 {
		ptr = (*C.uint64_t)(unsafe.Pointer(&ops[0]))
	}
	return int32(C.raw_rerecord(d.c, *(*C.VkCommandBuffer)(unsafe.Pointer(&c)), ptr, C.uint64_t(len(ops))))
}

// FreeCommands frees a command buffer.
func (d *Device) FreeCommands(c Commands) {
	C.raw_commands_free(d.c, *(*C.VkCommandBuffer)(unsafe.Pointer(&c)))
}

// Submit submits a command buffer; WaitDone waits for it.
func (d *Device) Submit(c Commands) int32 {
	return int32(C.raw_submit(d.c, *(*C.VkCommandBuffer)(unsafe.Pointer(&c))))
}

// WaitDone waits for the last Submit, at most timeout nanoseconds (result 2: VK_TIMEOUT).
func (d *Device) WaitDone(timeout uint64) int32 {
	return int32(C.raw_wait_done(d.c, C.uint64_t(timeout)))
}

// NewQueries creates n timestamp queries, reset.
func (d *Device) NewQueries(n int) (Queries, int32) {
	var p C.VkQueryPool
	r := C.raw_queries(d.c, C.uint32_t(n), &p)
	return Queries(p), int32(r)
}

// FreeQueries destroys a query pool.
func (d *Device) FreeQueries(q Queries) { C.raw_queries_free(d.c, C.VkQueryPool(q)) }

// ResetQueries resets n queries from the host.
func (d *Device) ResetQueries(q Queries, n int) {
	C.raw_queries_reset(d.c, C.VkQueryPool(q), C.uint32_t(n))
}

// ReadQueries reads len(out) timestamps; available is 0 where none was written.
func (d *Device) ReadQueries(q Queries, out, available []uint64) int32 {
	return int32(C.raw_queries_read(d.c, C.VkQueryPool(q), C.uint32_t(len(out)),
		(*C.uint64_t)(unsafe.Pointer(&out[0])), (*C.uint64_t)(unsafe.Pointer(&available[0]))))
}

// Calibrate reads the device's and the host's (CLOCK_MONOTONIC_RAW) clock together.
func (d *Device) Calibrate() (ticks, host, deviation uint64, result int32) {
	var t, h, dev C.uint64_t
	r := C.raw_calibrate(d.c, &t, &h, &dev)
	return uint64(t), uint64(h), uint64(dev), int32(r)
}
