package vk

import "fmt"

// Info is what a device says about itself, read once when the instance is
// opened (heap budgets included). Sizes are in bytes.
type Info struct {
	Index              int // position in Instance.Adapters
	Name               string
	Type               string // discrete, integrated, virtual, cpu, other
	VendorID, DeviceID uint32
	DriverID           uint32 // VkDriverId, 0: unknown
	DriverName         string
	DriverInfo         string
	DriverVersion      string
	APIVersion         string
	UUID, DriverUUID   [16]byte // several devices may share one
	PCI                string   // "0000:01:00.0", or "": the driver reports none
	NUMA               int      // -1: unknown
	Heaps              []Heap
	MemoryTypes        []MemoryType
	Queues             []QueueFamily
	Limits             Limits
	Features           Features
	Matrices           []Matrix // that kernels can multiply; none without cooperative-matrix
	Extensions         []string // device extensions, sorted
	DuplicateOf        int      // index of the same card seen through another driver, -1: none
}

// Heap is one memory heap.
type Heap struct {
	Size        uint64
	Budget      uint64 // what this process may use now
	Usage       uint64 // what this process uses now
	DeviceLocal bool
	BudgetKnown bool // Budget and Usage count
}

// MemoryType is one way to allocate from a heap.
type MemoryType struct {
	Heap                                               int
	DeviceLocal, HostVisible, HostCoherent, HostCached bool
}

// QueueFamily is a set of like queues.
type QueueFamily struct {
	Index, Count                        int
	Compute, Graphics, Transfer, Sparse bool
	TimestampBits                       int // valid bits of a timestamp, 0: none
}

// Limits are the device limits that decide what fits. 0: not reported.
type Limits struct {
	MaxStorageBufferRange uint64 // bytes a binding shows
	MaxAllocation         uint64 // bytes
	MaxBufferSize         uint64 // bytes
	SharedMemory          uint32 // bytes per work-group
	Invocations           uint32 // per work-group
	SubgroupSize          uint32 // invocations
	MinSubgroup           uint32
	MaxSubgroup           uint32
	RequiredSubgroup      bool // a kernel may ask for a size between the two
	GroupCount, GroupSize [3]uint32
	PushConstants         uint32  // bytes
	StorageAlign          uint64  // of a storage buffer's offset, bytes
	ImportAlign           uint64  // of imported host memory, bytes; 0: cannot import
	AtomSize              uint64  // of non-coherent memory, bytes
	TimestampPeriod       float64 // nanoseconds a tick
	MaxAllocations        uint32
	StorageBuffers        uint32 // bindings that one shader may use
}

// Software reports whether the device is the CPU.
func (i *Info) Software() bool { return i.Type == typeCPU }

// UUIDString is the device UUID in the usual form, with hyphens.
func (i *Info) UUIDString() string { return uuidString(i.UUID) }

// DriverUUIDString is the driver UUID in the usual form, with hyphens.
func (i *Info) DriverUUIDString() string { return uuidString(i.DriverUUID) }

func uuidString(u [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// HasExtension reports whether the device lists an extension.
func (i *Info) HasExtension(name string) bool { return contains(i.Extensions, name) }
