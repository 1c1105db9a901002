package cmd

import (
	"fmt"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/diagnose"
)

// deviceJSON is one device of `devices --json`.
type deviceJSON struct {
	result.Device
	Status      string       `json:"status"` // usable, cpu, duplicate, failed, hidden
	Error       string       `json:"error,omitempty"`
	DuplicateOf *int         `json:"duplicate_of,omitempty"`
	DriverUUID  string       `json:"driver_uuid"`
	DriverInfo  string       `json:"driver_info,omitempty"`
	Heaps       []heapJSON   `json:"heaps"`
	Queues      []queueJSON  `json:"queues"`
	Limits      limitsJSON   `json:"limits"`
	Matrices    []matrixJSON `json:"matrices"` // that kernels can multiply
	Score       scoreJSON    `json:"scores"`
	placeJSON
}

type heapJSON struct {
	Size        uint64  `json:"size"` // bytes, as all below
	DeviceLocal bool    `json:"device_local"`
	Budget      *uint64 `json:"budget"` // null: the driver does not say
	Usage       *uint64 `json:"usage"`
}

type queueJSON struct {
	Family        int  `json:"family"`
	Count         int  `json:"count"`
	Compute       bool `json:"compute"`
	Graphics      bool `json:"graphics"`
	Transfer      bool `json:"transfer"`
	Sparse        bool `json:"sparse"`
	TimestampBits int  `json:"timestamp_bits"`
}

// matrixJSON is a product of M x K by K x N that a scope of invocations makes together. With
// flexible, sizes may be any multiples of these.
type matrixJSON struct {
	M           int    `json:"m"`
	N           int    `json:"n"`
	K           int    `json:"k"`
	A           string `json:"a"`
	B           string `json:"b"`
	C           string `json:"c"`
	Result      string `json:"result"`
	Saturating  bool   `json:"saturating,omitempty"`
	Scope       string `json:"scope"`
	Flexible    bool   `json:"flexible,omitempty"`
	Invocations int    `json:"invocations,omitempty"`
}

type limitsJSON struct {
	MaxStorageBufferRange uint64    `json:"max_storage_buffer_range"`
	MaxAllocation         uint64    `json:"max_allocation"`
	MaxBufferSize         uint64    `json:"max_buffer_size"`
	SharedMemory          uint32    `json:"shared_memory"`
	Invocations           uint32    `json:"invocations"`
	MinSubgroup           uint32    `json:"min_subgroup"`
	MaxSubgroup           uint32    `json:"max_subgroup"`
	GroupCount            [3]uint32 `json:"group_count"`
	GroupSize             [3]uint32 `json:"group_size"`
	PushConstants         uint32    `json:"push_constants"`
	TimestampPeriod       float64   `json:"timestamp_period"` // nanoseconds a tick
	ImportAlign           uint64    `json:"import_align"`     // of imported host memory; 0: not possible
}

// devicesJSON is the document of `devices --json`.
type devicesJSON struct {
	Devices  []deviceJSON       `json:"devices"`
	Links    []result.Link      `json:"links"`
	Problems []diagnose.Problem `json:"problems"`
	Loader   string             `json:"loader"`
	// Selection is what the rules of the origins choose; amgpu itself measures.
	Selection selectionJSON `json:"selection"`
	// Job is the ranks and nodes of an MPI job; nil: one process looked.
	Job *result.Job `json:"job,omitempty"`
}

func describeDevice(a *vk.Adapter, e entry, usable bool) deviceJSON {
	i := a.Info()
	l := i.Limits
	d := deviceJSON{
		Device: e.Device, Status: "usable", DriverUUID: fmt.Sprintf("%x", i.DriverUUID), DriverInfo: i.DriverInfo,
		Heaps: []heapJSON{}, Queues: []queueJSON{}, Matrices: []matrixJSON{},
		Limits: limitsJSON{l.MaxStorageBufferRange, l.MaxAllocation, l.MaxBufferSize, l.SharedMemory, l.Invocations,
			l.MinSubgroup, l.MaxSubgroup, l.GroupCount, l.GroupSize, l.PushConstants, l.TimestampPeriod, l.ImportAlign},
	}
	switch {
	case e.err != nil:
		d.Status, d.Error = "failed", e.err.Error()
	case e.duplicateOf >= 0:
		d.Status, d.DuplicateOf = "duplicate", &e.duplicateOf
	case usable:
	case e.Software:
		d.Status = "cpu"
	default:
		d.Status = "not chosen"
	}
	for _, h := range i.Heaps {
		heap := heapJSON{Size: h.Size, DeviceLocal: h.DeviceLocal}
		if h.BudgetKnown {
			heap.Budget, heap.Usage = &h.Budget, &h.Usage
		}
		d.Heaps = append(d.Heaps, heap)
	}
	for _, m := range i.Matrices {
		d.Matrices = append(d.Matrices, matrixJSON(m))
	}
	for _, q := range i.Queues {
		d.Queues = append(d.Queues, queueJSON{q.Index, q.Count, q.Compute, q.Graphics, q.Transfer, q.Sparse, q.TimestampBits})
	}
	return d
}
