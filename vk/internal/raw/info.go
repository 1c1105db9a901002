package raw

/*
#include "info.h"
*/
import "C"

import "unsafe"

// Info is what a physical device reports, in Vulkan's own numbers. Sizes are in
// bytes; 0 stands for "not reported".
type Info struct {
	Name                                      string
	Type, Vendor, Device, API, DriverVersion  uint32
	DriverID                                  uint32
	DriverName, DriverInfo                    string
	UUID, DriverUUID                          [16]byte
	HasPCI                                    bool
	PCIDomain, PCIBus, PCIDevice, PCIFunction uint32
	HasBudget                                 bool
	Heaps                                     []InfoHeap
	Types                                     []InfoType
	Families                                  []InfoFamily
	MaxStorageRange, MaxAllocation, MaxBuffer uint64
	StorageAlign, ImportAlign, AtomSize       uint64
	SharedMemory, Invocations                 uint32
	PushConstants, MaxAllocations             uint32
	Subgroup, MinSubgroup, MaxSubgroup        uint32
	GroupCount, GroupSize                     [3]uint32
	SetStorageBuffers, StageStorageBuffers    uint32
	TimestampPeriod                           float64 // nanoseconds a tick
	Features                                  uint32  // Feature* bits
	RequiredSubgroup                          bool    // a compute kernel may ask for a size
	Matrices                                  []InfoMatrix
	Extensions                                []string
}

// InfoMatrix is a product of matrices that invocations make together; Flexible: M, N and K
// are what sizes are multiples of. Components and scope are Vulkan's numbers.
type InfoMatrix struct {
	M, N, K         uint32
	A, B, C, Result uint32
	Saturating      bool
	Scope           uint32
	Flexible        bool
	Invocations     uint32
}

// InfoHeap is a memory heap; Budget and Usage count only with Info.HasBudget.
type InfoHeap struct {
	Size, Budget, Usage uint64
	Flags               uint32
}

// InfoType is a memory type.
type InfoType struct{ Heap, Flags uint32 }

// InfoFamily is a queue family.
type InfoFamily struct{ Flags, Count, TimestampBits uint32 }

// Numbers that Info speaks in.
const (
	TypeIntegrated = C.VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU
	TypeDiscrete   = C.VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU
	TypeVirtual    = C.VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU
	TypeCPU        = C.VK_PHYSICAL_DEVICE_TYPE_CPU

	DriverNvidia = C.VK_DRIVER_ID_NVIDIA_PROPRIETARY

	HeapDeviceLocal = C.VK_MEMORY_HEAP_DEVICE_LOCAL_BIT

	MemoryDeviceLocal  = C.VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
	MemoryHostVisible  = C.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
	MemoryHostCoherent = C.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
	MemoryHostCached   = C.VK_MEMORY_PROPERTY_HOST_CACHED_BIT

	QueueGraphics = C.VK_QUEUE_GRAPHICS_BIT
	QueueCompute  = C.VK_QUEUE_COMPUTE_BIT
	QueueTransfer = C.VK_QUEUE_TRANSFER_BIT
	QueueSparse   = C.VK_QUEUE_SPARSE_BINDING_BIT

	FeatureTimelineSemaphore   = C.RAW_FEATURE_TIMELINE_SEMAPHORE
	FeatureSynchronization2    = C.RAW_FEATURE_SYNCHRONIZATION2
	FeatureHostQueryReset      = C.RAW_FEATURE_HOST_QUERY_RESET
	FeatureMaintenance4        = C.RAW_FEATURE_MAINTENANCE4
	FeatureBufferDeviceAddress = C.RAW_FEATURE_BUFFER_DEVICE_ADDRESS
	FeatureSubgroupSizeControl = C.RAW_FEATURE_SUBGROUP_SIZE_CONTROL
	FeatureFullSubgroups       = C.RAW_FEATURE_COMPUTE_FULL_SUBGROUPS
	FeatureIntegerDotProduct   = C.RAW_FEATURE_INTEGER_DOT_PRODUCT
	FeatureVulkanMemoryModel   = C.RAW_FEATURE_VULKAN_MEMORY_MODEL
	FeatureFloat16             = C.RAW_FEATURE_FLOAT16
	FeatureFloat64             = C.RAW_FEATURE_FLOAT64
	FeatureInt8                = C.RAW_FEATURE_INT8
	FeatureInt16               = C.RAW_FEATURE_INT16
	FeatureInt64               = C.RAW_FEATURE_INT64
	FeatureStorage8            = C.RAW_FEATURE_STORAGE8
	FeatureStorage16           = C.RAW_FEATURE_STORAGE16
	FeatureFloat32Atomics      = C.RAW_FEATURE_FLOAT32_ATOMICS
	FeatureCooperativeMatrix   = C.RAW_FEATURE_COOPERATIVE_MATRIX
	FeatureCooperativeMatrix2  = C.RAW_FEATURE_COOPERATIVE_MATRIX2
	FeatureBfloat16            = C.RAW_FEATURE_BFLOAT16
	FeatureBfloat16Matrix      = C.RAW_FEATURE_BFLOAT16_MATRIX
	FeatureRobustBufferAccess  = C.RAW_FEATURE_ROBUST_BUFFER_ACCESS

	// OnRequest are the bits that OpenDevice switches on.
	OnRequest = FeatureFloat16 | FeatureFloat64 | FeatureInt8 | FeatureInt16 | FeatureInt64 |
		FeatureStorage8 | FeatureStorage16 | FeatureVulkanMemoryModel | FeatureIntegerDotProduct |
		FeatureCooperativeMatrix | FeatureCooperativeMatrix2 | FeatureBfloat16 | FeatureBfloat16Matrix
)

// Heaps asks a physical device again what its heaps hold; budget says that it has
// VK_EXT_memory_budget.
func (in *Instance) Heaps(p Physical, budget bool) []InfoHeap {
	var c C.raw_info
	if budget {
		c.has_budget = 1
	}
	C.raw_memory(in.c, physical(p), &c)
	out := make([]InfoHeap, c.heap_count)
	for i, h := range c.heaps[:c.heap_count] {
		out[i] = InfoHeap{uint64(h.size), uint64(h.budget), uint64(h.usage), uint32(h.flags)}
	}
	return out
}

// Info asks a physical device. With a non-zero result only the identity of
// Vulkan 1.0 is filled in.
func (in *Instance) Info(p Physical) (*Info, int32) {
	var result C.int32_t
	c := C.raw_info_new(in.c, physical(p), &result)
	if c == nil {
		return &Info{}, int32(result)
	}
	defer C.raw_info_free(c)
	i := &Info{
		Name: C.GoString(&c.name[0]), Type: uint32(c._type), Vendor: uint32(c.vendor), Device: uint32(c.device),
		API: uint32(c.api), DriverVersion: uint32(c.driver_version), DriverID: uint32(c.driver_id),
		DriverName: C.GoString(&c.driver_name[0]), DriverInfo: C.GoString(&c.driver_info[0]),
		HasPCI:    c.has_pci != 0,
		PCIDomain: uint32(c.pci_domain), PCIBus: uint32(c.pci_bus), PCIDevice: uint32(c.pci_device), PCIFunction: uint32(c.pci_function),
		HasBudget:       c.has_budget != 0,
		MaxStorageRange: uint64(c.max_storage_range), MaxAllocation: uint64(c.max_allocation), MaxBuffer: uint64(c.max_buffer),
		StorageAlign: uint64(c.storage_align), ImportAlign: uint64(c.import_align), AtomSize: uint64(c.atom_size),
		SharedMemory: uint32(c.shared_memory), Invocations: uint32(c.invocations),
		PushConstants: uint32(c.push_constants), MaxAllocations: uint32(c.max_allocations),
		Subgroup: uint32(c.subgroup), MinSubgroup: uint32(c.min_subgroup), MaxSubgroup: uint32(c.max_subgroup),
		SetStorageBuffers: uint32(c.set_storage_buffers), StageStorageBuffers: uint32(c.stage_storage_buffers),
		TimestampPeriod: float64(c.timestamp_period), Features: uint32(c.features),
	}
	for k := range 16 {
		i.UUID[k], i.DriverUUID[k] = byte(c.uuid[k]), byte(c.driver_uuid[k])
	}
	for k := range 3 {
		i.GroupCount[k], i.GroupSize[k] = uint32(c.group_count[k]), uint32(c.group_size[k])
	}
	for _, h := range c.heaps[:c.heap_count] {
		i.Heaps = append(i.Heaps, InfoHeap{uint64(h.size), uint64(h.budget), uint64(h.usage), uint32(h.flags)})
	}
	for _, t := range c.types[:c.type_count] {
		i.Types = append(i.Types, InfoType{uint32(t.heap), uint32(t.flags)})
	}
	for _, f := range c.families[:c.family_count] {
		i.Families = append(i.Families, InfoFamily{uint32(f.flags), uint32(f.count), uint32(f.timestamp_bits)})
	}
	i.RequiredSubgroup = c.required_subgroup != 0
	for _, m := range unsafe.Slice(c.matrices, c.matrix_count) {
		i.Matrices = append(i.Matrices, InfoMatrix{
			M: uint32(m.m), N: uint32(m.n), K: uint32(m.k), A: uint32(m.a), B: uint32(m.b), C: uint32(m.c), Result: uint32(m.result),
			Saturating: m.saturating != 0, Scope: uint32(m.scope), Flexible: m.flexible != 0, Invocations: uint32(m.invocations),
		})
	}
	extensions := unsafe.Slice(c.extensions, c.extension_count)
	for k := range extensions {
		i.Extensions = append(i.Extensions, C.GoString(&extensions[k].extensionName[0]))
	}
	return i, int32(result)
}
