// Package scale sweeps workloads over modes and GPU counts: it plans launches
// in randomised blocks, measures each through a Machine, compares what the
// counts computed and hands every finished trial to an Observer. It knows no
// Vulkan.
package scale

import (
	"context"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/measure"
)

// Modes.
const (
	Strong = "strong" // the total size stays
	Weak   = "weak"   // the size per GPU stays
	Solo   = "solo"   // every device alone
)

// Data states that give rows of their own; the first of each is the default.
var (
	Residencies = []string{"resident", "end-to-end"} // where inputs and outputs are
	Caches      = []string{"hot", "cold"}            // what the devices' caches hold before a sample
)

// Item is one workload to sweep.
type Item struct {
	Workload         suites.Workload
	Size             result.Size // total in strong mode, of one GPU in weak mode
	Split, Algorithm string
	Params           map[string]int64
	Constants        []result.Constant // a value for every tunable; what is missing is the default
	Input            string            // file, or empty
}

// Cell is one launch: what to build and on which devices.
type Cell struct {
	result.Key
	Item    Item
	Count   int
	Devices []int // Device.Index of the team, in order
	Total   int64 // size over all devices
	Seed    uint64
	Block   int
	Launch  int    // number of this launch within its key and count
	Side    string // of a self-test, otherwise empty
}

// Machine gives fresh device state. A failure that has a row status of its own
// is a *Failure.
type Machine interface {
	Launch(ctx context.Context, c Cell) (Session, error)
}

// Session is one launch.
type Session interface {
	measure.Session
	// Verify checks one iteration from fresh inputs against the reference: all
	// outputs when full, else a sample of them.
	Verify(ctx context.Context, full bool) (Verification, error)
	// Confirm checks after the samples that the devices still compute what was
	// verified; wrong says how the outputs differ, or is empty.
	Confirm(ctx context.Context) (wrong string, err error)
	// EmptyGate is the time of an empty step on the team, in seconds.
	EmptyGate(ctx context.Context) (float64, error)
	Facts() Facts
	Close() error
}

// Watcher is implemented by sessions that read the devices' sensors between samples.
type Watcher interface {
	// Watched notes in the trial what they said while its samples were taken, beside
	// what a measure.Watched and a measure.Clocked session tells.
	Watched(t *result.Trial)
}

// Weigher is implemented by sessions that know what memory they took.
type Weigher interface {
	// HighWater is the most memory taken of each device so far, in bytes.
	HighWater() []int64
	// MemoryUse is what is in use of each device's memory now; nil: not known.
	MemoryUse() []result.MemoryUse
}

// Decider is implemented by sessions that know how long their division took to decide.
type Decider interface {
	// Decision is nil where it was not measured.
	Decision() *result.Decision
}

// Verification is the outcome of a checked iteration.
type Verification struct {
	Digest  string // of all outputs
	Outcome suites.Outcome
	// CountDependent: outputs are only reproducible at the same count and shares.
	CountDependent bool
}

// Facts are what a launch knows about itself before it is measured.
type Facts struct {
	Total        int64
	Shares       []int64
	Staged       bool // devices do different things: stages of a pipeline
	Work         result.Work
	Flops, Bytes float64
	Arithmetic   string           // roof that Flops are held against; empty: fp32
	Roof         string           // roof that the launch measures; empty: none
	Resident     int64            // bytes of the arrays on the device that holds most
	Replicated   int64            // bytes of them where every device holds all of each
	Transport    string           // used between the devices; empty: nothing is communicated
	Division     *result.Division // what is known of the division; it may change with each sample
	Variant      string           // which of several kernels does the work; empty: there is one
	Shaders      string           // hex sha256 over the built-in shaders; empty: none
	// Granularity is the least time that the clock of each device tells apart, seconds.
	Granularity []float64
	Warnings    []result.Warning
}

// Failure is an error with the row status it causes.
type Failure struct {
	Status string // result.Unsupported, result.DeviceLost, ...
	Err    error
}

func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Observer watches a sweep. An error from Done ends the sweep: the trial could
// not be kept.
type Observer interface {
	Started(c Cell, done, total int)
	Done(c Cell, t result.Trial, done, total int) error
}
