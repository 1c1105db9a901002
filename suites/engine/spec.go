// Package engine runs programs on teams of Vulkan devices: it places arrays,
// makes inputs, records command buffers once, drives samples through a common
// start gate, and checks results. It knows nothing of statistics or of what a
// workload computes.
package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// ErrUnsupported says that a team cannot run the program (memory, limits,
// features); the text names the limit. It is a row status, not a failure.
var ErrUnsupported = errors.New("unsupported here")

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}

// Spec is one launch: a workload at one size on one team.
type Spec struct {
	Workload  suites.Workload
	Build     suites.Build // complete; Count equals len(Adapters)
	Adapters  []*vk.Adapter
	Transport string      // auto or one of peer.Names
	Links     *peer.Cache // what is known of the machine's links; nil: each is verified
	Choices   *Choices    // algorithms that were measured before; nil: each launch measures
	Residency string      // Resident or EndToEnd; empty: Resident
	Cache     string      // Hot or Cold; empty: Hot
	CacheDir  string      // pipeline cache; empty: none
	// SyncTimeout is how long a device may take for one submission or hand-over, 0: any
	// time. MemoryBudget is the most bytes that buffers take of a device, 0: what there is.
	SyncTimeout  time.Duration
	MemoryBudget uint64
	// Job is set where the team lies in several processes; nil: all devices are here.
	Job Job
	// Dynamic hands out units while the devices work, whatever Build.Divide does; nil: each
	// device has its share.
	Dynamic *Dynamic
	// Checkpoint saves and continues the checked iteration; nil: it runs in one go.
	Checkpoint *Checkpoint

	testOnlyBufferLimit, testOnlyBindingLimit int64             // smaller limits than the device's; 0: none
	testOnlyWays                              func([]way) []way // of those that may be tried; nil: all
}

// Facts are what a launch knows about itself before it is measured.
type Facts struct {
	Total        int64   // size over all devices
	Shares       []int64 // units per device; of a pipeline the loads of its stages (program.Program.Loads)
	Staged       bool    // devices do different things: stages of a pipeline
	Work         result.Work
	Flops, Bytes float64
	Arithmetic   string           // roof that Flops are held against; empty: fp32
	Roof         string           // roof that the launch measures; empty: none
	Resident     int64            // bytes of the arrays on the device that holds most
	Replicated   int64            // bytes of them where every device holds all of each
	Transport    string           // empty: nothing is communicated; peer.Mixed: see Warnings
	Division     *result.Division // of the last iteration, where units are handed out; else nil
	Variant      string           // which of several kernels does the work; empty: there is one
	Shaders      string           // hex sha256 over the built-in shaders of the program; empty: it has none
	// Granularity is the least time that the clock of each device tells apart, seconds.
	Granularity []float64
	Warnings    []result.Warning
}

// Verification is the outcome of a checked iteration.
type Verification struct {
	Digest         string
	Outcome        suites.Outcome
	CountDependent bool
}

// Sample is one timed repetition.
type Sample struct {
	Seconds float64 // wall time of one iteration: gate open to last device done, over reps
	Times   *result.SampleTimes
	Spans   []result.Span
}

// PoolLimits are the smallest limits over a pool, from which workloads choose
// variants that must not depend on the count.
func PoolLimits(pool []*vk.Adapter) suites.Limits {
	var l suites.Limits
	for i, a := range pool {
		info := a.Info()
		d := suites.Limits{
			SharedBytes:   int64(info.Limits.SharedMemory),
			Invocations:   int64(info.Limits.Invocations),
			Smallest:      info.Name,
			SubgroupSize:  int64(info.Limits.SubgroupSize),
			BindingBytes:  int64(info.Limits.MaxStorageBufferRange),
			SoftwareClass: info.Type == "cpu",
			Features:      info.Features.Names(),
			Matrices:      matrices(info),
			Class:         suites.ClassOf(info.VendorID, info.Name, info.Software()),
		}
		if i == 0 {
			l = d
			continue
		}
		l.SharedBytes = min(l.SharedBytes, d.SharedBytes)
		if d.Invocations < l.Invocations {
			l.Invocations, l.Smallest = d.Invocations, d.Smallest
		}
		l.SubgroupSize = min(l.SubgroupSize, d.SubgroupSize)
		l.BindingBytes = min(l.BindingBytes, d.BindingBytes)
		l.SoftwareClass = l.SoftwareClass || d.SoftwareClass
		l.Features = slices.DeleteFunc(l.Features, func(f string) bool { return !slices.Contains(d.Features, f) })
		l.Matrices = slices.DeleteFunc(l.Matrices, func(m program.Matrix) bool { return !m.In(d.Matrices) })
		if l.Class != d.Class {
			l.Class = suites.Other
		}
	}
	return l
}
