// Package program holds a workload's computation as plain data: which arrays
// exist, which kernels run over them and what must be communicated. A workload
// builds one for a size and a division; suites/engine runs it on a team of
// devices. Nothing here knows Vulkan.
package program

// Program is one workload at one size, divided over len(Shares) devices.
type Program struct {
	// Units is the length of the axis that is divided: elements, rows, chunks,
	// subtrees. Every Split array has Units units along it.
	Units int64
	// Shares holds the contiguous part [Lo,Hi) of each device, in device order;
	// together they cover [0,Units). A share may be empty.
	Shares []Share
	// Loads is how much of the work each device has, in any unit, where its share does not
	// say so: of a pipeline, shares are where outputs lie. nil: the lengths of Shares.
	Loads   []int64
	Arrays  []Array
	Kernels []Kernel
	// Setup runs once per launch after the sources were filled (for example the
	// broadcast of a replicated operand). It is not timed when data is resident.
	Setup []Step
	// Steps is one iteration: what a sample repeats and what is timed.
	Steps []Step
	// Evolves says that an iteration changes its own inputs (a simulation), so a
	// second iteration gives another result. The engine then refills before it
	// verifies. When false, every iteration must leave the same outputs.
	Evolves bool
	// CountDependent says that the outputs differ by nature with the number of
	// devices (a sum over ranks), so digests are not compared between counts.
	CountDependent bool
	// Work is the nominal work of one iteration over all devices, in the
	// workload's work unit; Flops and Bytes likewise (arithmetic or integer
	// operations; compulsory bytes of global memory).
	Work, Flops, Bytes float64
	// Arithmetic takes the place of suites.Info.Arithmetic where it depends on the
	// parameters; empty: it does not.
	Arithmetic string
	// Variant names the kernel where several can do the work, for results; empty: there is one.
	Variant string
}

// Load is how much of the work device i has, in the unit of Loads.
func (p *Program) Load(i int) int64 {
	if p.Loads != nil {
		return p.Loads[i]
	}
	return p.Shares[i].Len()
}

// Share is the half-open range of units one device owns.
type Share struct{ Lo, Hi int64 }

// Len is the number of units in the share.
func (s Share) Len() int64 { return s.Hi - s.Lo }

// Elem is the type of an array's elements; all are 32 bits wide.
type Elem uint8

// Element types.
const (
	F32 Elem = iota
	U32
)

// Layout says where an array's units live.
type Layout uint8

const (
	// Split: device d holds the units of its share, and Halo units either side.
	Split Layout = iota
	// Replicated: every device holds all units.
	Replicated
	// Local: every device holds Units units of its own, with contents that
	// belong to that device alone (scratch, or one operand per rank).
	Local
)

// Array is one logical array. Its size in bytes is Units*Stride*4 (plus halos).
type Array struct {
	Name   string
	Elem   Elem
	Layout Layout
	Units  int64 // whole array for Split (must equal Program.Units) and Replicated; per device for Local
	Stride int64 // elements per unit
	// Halo is the number of neighbour units kept on each side of a share (Split
	// only). The local array then starts with Halo units below the share. Wrap
	// makes the ends neighbours of each other; without it outer halos keep
	// whatever the source put there (zero for every source).
	Halo int64
	Wrap bool
	// CutAt, when above 0, allows the engine to place the array in several
	// buffers cut at multiples of CutAt units when it exceeds the device's
	// largest allocation. 0 means any unit.
	CutAt  int64
	Source Source
	// Output marks what is digested, compared between counts and verified.
	Output bool
	// Distinct (Local only) says that the devices hold different contents by nature,
	// such as the blocks an all-to-all brings; else their copies must be equal.
	Distinct bool
	// Late inputs come from the host, where iterations run from end to end, beside what goes
	// there at the end of an iteration: the next one finds them.
	Late bool
}

// Bytes is what the array takes of a device that holds all of it, without halos.
func (a *Array) Bytes() int64 { return a.Units * a.Stride * 4 }

// Kernel is a shader module with its specialization constants.
type Kernel struct {
	Name   string // within the program; Dispatch.Kernel refers to it
	Shader string // module in package shaders, "family/name"
	Spec   []Spec // constant ids not listed keep the shader's default
	// Needs are the device features that the shader uses, by the names that
	// `amgpu devices` prints; the engine switches them on, and a device without one
	// makes the row unsupported.
	Needs []string
	// Matrix, when set, is the product of cooperative matrices that the shader is made of,
	// and Subgroup the size that its subgroups must have; a device without them makes the
	// row unsupported.
	Matrix   *Matrix
	Subgroup int
	// Module, when set, is the SPIR-V to run in place of Shader, which then only
	// names it.
	Module *Module
}

// Module is SPIR-V that is not among the package's shaders.
type Module struct {
	Words []uint32
	Hash  string // hex sha256 of its bytes
	Entry string // entry point
	// GroupSize is the size of a work-group; where a device has a smaller limit the
	// program is unsupported. Shared is the shared memory it takes, in bytes.
	GroupSize [3]uint32
	Shared    int64
}

// Spec sets one 32-bit specialization constant (floats by their bits).
type Spec struct{ ID, Value uint32 }

// Array returns the array of that name.
func (p *Program) Array(name string) (*Array, bool) {
	for i := range p.Arrays {
		if p.Arrays[i].Name == name {
			return &p.Arrays[i], true
		}
	}
	return nil, false
}

// KernelByName returns the kernel of that name.
func (p *Program) KernelByName(name string) (*Kernel, bool) {
	for i := range p.Kernels {
		if p.Kernels[i].Name == name {
			return &p.Kernels[i], true
		}
	}
	return nil, false
}
