// Package suites defines what a workload is, keeps the registry of all
// workloads and holds what their references share: sizes, Philox, tolerances.
package suites

import (
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/suites/program"
)

// Workload describes one computation: what is computed, how it divides, what
// must be communicated and how it is checked. It never touches Vulkan and never
// measures time. One Go file per workload registers one in its init.
type Workload interface {
	Info() Info
	// Build returns the program for one size and division. Errors are about the request, a
	// size or parameter that cannot be built, here or anywhere: they say what to choose
	// instead. Commands end with the code of invalid input where the user chose it.
	Build(Build) (*program.Program, error)
	// Verify compares the outputs of exactly one iteration from fresh inputs
	// with the reference. An error means the check could not be made; wrong
	// values are reported in the Outcome.
	Verify(*Check) (Outcome, error)
}

// WeakSizer is implemented by workloads whose size does not grow in proportion
// to the number of devices in weak mode.
type WeakSizer interface {
	// WeakSize is the total size for count devices when one device has n.
	WeakSize(n int64, count int) int64
}

// InputSizer is implemented by workloads that read the file of --input
// (Info.ReadsInput): the file's length takes the place of the size.
type InputSizer interface {
	// InputSize is the size that the file holds. Errors say what to give instead.
	InputSize(path string) (int64, error)
}

// Info is what `amgpu suites` prints.
type Info struct {
	ID            string // family/name
	Number        uint32 // the W number: also the Philox workload id
	Doc           string // one sentence
	Source        string // origin or paper
	Formula       string
	Sizes         Sizes
	SizeUnit      string // what the size counts, e.g. "elements per array"
	Note          string // where sizes are not those of the workload specification, or leave something open, and why
	Layout        string // what the elements of a unit are and in which order, where their number does not tell
	WorkUnit      string // "flop", "B", "cell", "pair", "hash": rates are WorkUnit/s
	Flops, Bytes  string // formulas in words
	Splits        []string
	Algorithms    []string // communication algorithms to choose from, default first
	Communication string
	Tolerance     string
	Weak          string // how the size grows in weak mode
	Features      []string
	// Arithmetic names the roof that the operations in Flops are held against: what a
	// workload of family peak measures, such as int32 or max-plus. Empty: fp32; "none": no
	// roof is one for them. Program.Arithmetic overrides it.
	Arithmetic string
	// Residency, when set, is the only one that the workload is measured with.
	Residency string
	// Roof names the roof that the rate of this workload is: fp32, memory; empty: none.
	Roof       string
	Params     []Param
	Tunables   []Tunable
	ReadsInput bool // --input FILE is understood
	// State names the arrays of the program that every later repetition depends on, where
	// an iteration can be saved and continued (--checkpoint): the program's steps then begin
	// with a Repeat, in which divided arrays of the state need no halo from before.
	State []string
}

// Param is an integer knob of a workload, set by --param name=value (or a flag
// of its own such as --repeat).
type Param struct {
	Name     string
	Doc      string
	Default  int64
	Min      int64
	Max      int64
	Multiple int64 // only multiples of it are taken; 0: any value
}

// Check says why the parameter does not take a value, and which it takes; nil: it does.
func (p Param) Check(v int64) error {
	kind := ""
	switch {
	case p.Multiple == 2:
		kind = "an even number from "
	case p.Multiple > 1:
		kind = fmt.Sprintf("a multiple of %d from ", p.Multiple)
	}
	if v < p.Min || v > p.Max || p.Multiple > 1 && v%p.Multiple != 0 {
		return fmt.Errorf("use %s%d to %d (%s)", kind, p.Min, p.Max, p.Doc)
	}
	return nil
}

// Build is one request for a program.
type Build struct {
	Size int64 // total size, already grown for weak mode
	// Base is the size one device has in weak mode and equals Size in strong
	// mode: for a workload of which only one dimension grows with the count.
	Base  int64
	Weak  bool
	Label string
	Count int
	Seed  uint64
	// Params holds a value for every Param of the Info.
	Params map[string]int64
	// Tuning holds values of Info.Tunables that are not the default: Tuned reads them.
	Tuning map[string]int64
	// Divide cuts units into Count shares at multiples of granule units (the
	// last share takes the remainder). It is the strategy chosen by the user.
	Divide    func(units, granule int64) []program.Share
	Split     string // one of Info.Splits
	Algorithm string // one of Info.Algorithms, or empty
	Input     string // file of --input, or empty
	Limits    Limits
}

// Limits are the smallest limits over the devices of the pool (not the team:
// a choice made from them must not depend on the count).
type Limits struct {
	SharedBytes   int64
	Invocations   int64  // per work-group
	Smallest      string // name of a device that allows no more Invocations
	SubgroupSize  int64
	BindingBytes  int64 // largest storage-buffer binding
	SoftwareClass bool  // a CPU driver is among them
	// Features and Matrices are what all of them have.
	Features []string
	Matrices []program.Matrix
	Class    Class // that all of them are of; Other where they differ
}

// Has says whether every device has a feature.
func (l Limits) Has(feature string) bool { return slices.Contains(l.Features, feature) }

// Check is what Verify gets.
type Check struct {
	Build   Build
	Program *program.Program
	Full    bool // compare every output; else at least MinSampled of them
	Out     Reader
}

// MinSampled is the least number of outputs compared with the reference.
const MinSampled = 1024

// Reader reads arrays back from the devices that own them.
type Reader interface {
	// Words returns elements [first,first+n) of an array by global element
	// index: Split from the owners, Replicated from device 0.
	Words(array string, first, n int64) ([]uint32, error)
	// LocalWords reads from one device's own copy (Replicated or Local).
	LocalWords(array string, device int, first, n int64) ([]uint32, error)
}

// Outcome is the result of a check.
type Outcome struct {
	Class     string  // "E0", "E1", ...
	Checked   int64   // outputs compared
	Worst     float64 // largest error as a fraction of the tolerance; 0 for exact
	SelfCheck string  // what algebraic self-check was made, e.g. "(ab)c = a(bc)"
	Wrong     string  // empty, or the first wrong output in words
	// Training is the loss over the steps of a training, for reports; nil: none.
	Training *Training
	// Comodulogram is the phase-amplitude coupling of a signal, for reports; nil: none.
	Comodulogram *Comodulogram
}

// Comodulogram is the phase-amplitude coupling of one signal over pairs of bands.
type Comodulogram struct {
	Measure          string      // such as modulation index (Tort)
	Phase, Amplitude []float64   // centres of the bands in Hz, ascending
	Values           [][]float64 // a row per amplitude band, a value per phase band
	Signal           string      // which one is shown
}

// Training is the loss over the steps of a training. Steps ascend, 0: before the first.
type Training struct {
	Steps    []int64
	Losses   []Loss    // the sum first
	Measures []Measure // of what was learnt in the end
}

// Measure is a number by name, such as the error of a solution.
type Measure struct {
	Name  string
	Value float64
}

// Loss is one term of the loss, or their sum, at each of Training.Steps.
type Loss struct {
	Name   string
	Values []float64
}
