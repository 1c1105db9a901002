package partition

import "math"

// Traits are what the scores of a device are made of.
type Traits struct {
	Type    string  // discrete, integrated, virtual, cpu, other
	Backend string  // vulkan, dx12, metal, ...
	Memory  float64 // bytes
	Cores   int     // shader cores; 0: not known
	Flops   float64 // a second; where Cores is not known, twice the clock each
	Major   int     // of the compute capability; 0: has none
	Minor   int
}

// Score parts by type and backend (SuperVM).
var (
	typeScores    = map[string]float64{"discrete": 100, "integrated": 50, "virtual": 30, "cpu": 10}
	backendScores = map[string]float64{"dx12": 100, "vulkan": 90, "metal": 85}
)

const (
	otherType    = 10
	otherBackend = 50
	gigabyte     = 1 << 30
	// coreFlops is what one shader core does in a second, two operations a cycle at
	// 1.75 GHz: it stands for the core count that Vulkan does not tell.
	coreFlops = 3.5e9
)

// Score ranks a device from 0 to 100 (SuperVM): 0.4 type + 0.2 backend + 0.2 memory (10
// points per GB, at most 100) + 0.2 units (a point per 20 shader cores, at most 100).
// As every device here is a Vulkan device, it ranges from 22 to 98.
func Score(t Traits) float64 {
	kind, ok := typeScores[t.Type]
	if !ok {
		kind = otherType
	}
	backend, ok := backendScores[t.Backend]
	if !ok {
		backend = otherBackend
	}
	cores := float64(t.Cores)
	if t.Cores == 0 {
		cores = t.Flops / coreFlops
	}
	return 0.4*kind + 0.2*backend + 0.2*min(100, 10*t.Memory/gigabyte) + 0.2*min(100, cores/20)
}

// Capacity is gocuda's capacity score, 0.4 GB + 0.3 (10 major + minor) + 0.3/(1+load).
// It adds things of different units, so that load hardly matters: it is shown, and no
// decision uses it.
func Capacity(t Traits, load float64) float64 {
	return 0.4*t.Memory/gigabyte + 0.3*float64(10*t.Major+t.Minor) + 0.3/(1+load)
}

// Best is the device with the largest score x (1 - load), the first of equal ones; -1
// without devices. Scores 95 at a load of 0.8 (19) and 80 at 0.3 (56): the second.
func Best(devices []Device) int {
	best, most := -1, math.Inf(-1)
	for i, d := range devices {
		if v := d.Score * (1 - d.Load); v > most {
			best, most = i, v
		}
	}
	return best
}

// Operation is the kind of work that an operation's score looks at.
type Operation int

// Operations: matrices are bound by arithmetic, memory by bandwidth.
const (
	Mixed Operation = iota
	Matrix
	MemoryBound
)

// busy is the load from which a device is not available.
const busy = 0.9

// OperationScore is how well a device suits an operation (Amari design): flops for
// matrices, bytes for memory, else their mean, in 1e9 a second, times (1 - load). A
// device that is not healthy or has a load of 0.9 or more is not available.
func OperationScore(op Operation, flops, bytes, load float64, healthy bool) (score float64, available bool) {
	v := (flops + bytes) / 2
	switch op {
	case Matrix:
		v = flops
	case MemoryBound:
		v = bytes
	}
	return v / 1e9 * (1 - load), healthy && load < busy
}

// Candidate is a device that work could go to.
type Candidate struct {
	Score     float64 // OperationScore of the operation
	Available bool    // as that says
	Free      int64   // bytes of memory; 0: not known
}

// Optimal is the device that an operation on so many bytes goes to (Amari design): the
// largest operation score among those that are available and have the memory, the first of equal
// ones; -1: none has.
func Optimal(bytes int64, devices []Candidate) int {
	best, most := -1, 0.0
	for i, d := range devices {
		if d.Available && (d.Free == 0 || d.Free >= bytes) && d.Score > most {
			best, most = i, d.Score
		}
	}
	return best
}

// perDevice is the size from which another device is worth it, mostDevices the most
// that SuperVM's rule asks for.
const (
	perDevice   = 10_000
	mostDevices = 4
)

// WorthIt is how many of the devices available are worth using for a size (SuperVM):
// size / 10,000, at least 1 and at most 4 and what there is; 0 without a device.
func WorthIt(size int64, available int) int {
	most := min(available, mostDevices)
	return int(min(max(size/perDevice, int64(min(most, 1))), int64(most)))
}

// Route is where work of a size goes: several GPUs, one GPU, or the CPU, which is a
// Vulkan device like another.
func Route(size int64, gpus int) string {
	switch n := WorthIt(size, gpus); {
	case n > 1:
		return "multi-gpu"
	case n == 1:
		return "single-gpu"
	}
	return "cpu"
}
