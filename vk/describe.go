package vk

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// Device types as they are printed.
const (
	typeDiscrete   = "discrete"
	typeIntegrated = "integrated"
	typeVirtual    = "virtual"
	typeCPU        = "cpu"
	typeOther      = "other"
)

// pciDevices is where Linux describes the devices of the PCI bus.
const pciDevices = "/sys/bus/pci/devices"

// newInfo puts a device's own report into amgpu's words. Index and DuplicateOf
// are set by arrange.
func newInfo(r *raw.Info) *Info {
	i := &Info{
		Name: r.Name, Type: typeName(r.Type), VendorID: r.Vendor, DeviceID: r.Device,
		DriverID: r.DriverID, DriverName: r.DriverName, DriverInfo: r.DriverInfo,
		DriverVersion: driverVersion(r.DriverID, r.DriverVersion),
		APIVersion:    version(r.API),
		UUID:          r.UUID, DriverUUID: r.DriverUUID,
		NUMA:        -1,
		Extensions:  slices.Sorted(slices.Values(r.Extensions)),
		DuplicateOf: -1,
		Limits: Limits{
			MaxStorageBufferRange: r.MaxStorageRange, MaxAllocation: r.MaxAllocation, MaxBufferSize: r.MaxBuffer,
			SharedMemory: r.SharedMemory, Invocations: r.Invocations,
			SubgroupSize: r.Subgroup, MinSubgroup: r.MinSubgroup, MaxSubgroup: r.MaxSubgroup, RequiredSubgroup: r.RequiredSubgroup,
			GroupCount: r.GroupCount, GroupSize: r.GroupSize, PushConstants: r.PushConstants,
			StorageAlign: r.StorageAlign, ImportAlign: r.ImportAlign, AtomSize: r.AtomSize,
			TimestampPeriod: r.TimestampPeriod, MaxAllocations: r.MaxAllocations,
			StorageBuffers: min(r.SetStorageBuffers, r.StageStorageBuffers),
		},
	}
	i.Features = newFeatures(r.Features, i.Extensions)
	if i.Limits.MaxBufferSize == 0 { // before maintenance4 the allocation was the only bound
		i.Limits.MaxBufferSize = r.MaxAllocation
	}
	if r.HasPCI {
		i.PCI = fmt.Sprintf("%04x:%02x:%02x.%x", r.PCIDomain, r.PCIBus, r.PCIDevice, r.PCIFunction)
		i.NUMA = numaNode(pciDevices, i.PCI)
	}
	for _, m := range r.Matrices {
		i.Matrices = append(i.Matrices, newMatrix(m))
	}
	i.Heaps = newHeaps(r.Heaps, r.HasBudget)
	for _, t := range r.Types {
		i.MemoryTypes = append(i.MemoryTypes, MemoryType{
			Heap:         int(t.Heap),
			DeviceLocal:  t.Flags&raw.MemoryDeviceLocal != 0,
			HostVisible:  t.Flags&raw.MemoryHostVisible != 0,
			HostCoherent: t.Flags&raw.MemoryHostCoherent != 0,
			HostCached:   t.Flags&raw.MemoryHostCached != 0,
		})
	}
	for k, q := range r.Families {
		compute, graphics := q.Flags&raw.QueueCompute != 0, q.Flags&raw.QueueGraphics != 0
		i.Queues = append(i.Queues, QueueFamily{
			Index: k, Count: int(q.Count), Compute: compute, Graphics: graphics,
			Transfer:      q.Flags&raw.QueueTransfer != 0 || compute || graphics, // implied, and drivers may leave the bit out
			Sparse:        q.Flags&raw.QueueSparse != 0,
			TimestampBits: int(q.TimestampBits),
		})
	}
	return i
}

func newHeaps(all []raw.InfoHeap, budget bool) []Heap {
	var out []Heap
	for _, h := range all {
		heap := Heap{Size: h.Size, DeviceLocal: h.Flags&raw.HeapDeviceLocal != 0, BudgetKnown: budget}
		if budget {
			heap.Budget, heap.Usage = h.Budget, h.Usage
		}
		out = append(out, heap)
	}
	return out
}

// Heaps asks the driver what the memory heaps of the device hold now; Info has what it
// said when the instance was opened, which is all that is known of an absent adapter.
func (a *Adapter) Heaps() []Heap {
	if a.absent || a.err != nil || a.instance == nil {
		return a.info.Heaps
	}
	return newHeaps(a.instance.raw.Heaps(a.physical, slices.Contains(a.info.Extensions, "VK_EXT_memory_budget")), a.info.Features.MemoryBudget)
}

func typeName(t uint32) string {
	switch t {
	case raw.TypeDiscrete:
		return typeDiscrete
	case raw.TypeIntegrated:
		return typeIntegrated
	case raw.TypeVirtual:
		return typeVirtual
	case raw.TypeCPU:
		return typeCPU
	}
	return typeOther
}

// version prints a version packed by VK_MAKE_API_VERSION.
func version(v uint32) string {
	return fmt.Sprintf("%d.%d.%d", v>>22&0x7f, v>>12&0x3ff, v&0xfff)
}

// driverVersion prints a driver's version. The field is the vendor's own: NVIDIA
// packs 10.8.8.6 bits, the Mesa drivers use Vulkan's packing.
func driverVersion(driver, v uint32) string {
	if driver != raw.DriverNvidia {
		return version(v)
	}
	s := fmt.Sprintf("%d.%d.%02d", v>>22, v>>14&0xff, v>>6&0xff)
	if patch := v & 0x3f; patch != 0 {
		s += fmt.Sprintf(".%d", patch)
	}
	return s
}

// numaNode reads the NUMA node of a PCI device below root, -1 when the system
// does not say (it writes -1 itself on machines with one node).
func numaNode(root, pci string) int {
	text, err := os.ReadFile(filepath.Join(root, pci, "numa_node"))
	if err != nil {
		return -1
	}
	node, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || node < 0 {
		return -1
	}
	return node
}
