package program

// Step is one of the closed set below and in collective.go: Dispatch, Exchange,
// AllReduce, ReduceScatter, AllGather, Broadcast, AllToAll, Send, Overlap, Host,
// Repeat.
type Step interface{ step() }

// Dispatch runs one kernel on every device, each with its own Launch.
//
// Push constants: the engine writes a header, the workload's words follow.
//
//	word 0          units in this launch (after any cut)
//	word 1, 2       global index of the first unit, low and high word
//	word 3 .. 3+b-1 for each binding, the element offset inside the binding at
//	                which the bound window starts
//	word 3+b ..     Launch.Push
//
// The engine may cut a launch into several (binding range limits, submit
// length), so a kernel must only rely on the header, never on being called once.
type Dispatch struct {
	Label  string
	Kernel string
	Bind   []Binding // binding numbers 0..len-1
	On     []Launch  // one per device
	// Align: the engine cuts launches only at multiples of Align units (0 = 1).
	Align int64
	// Own, when set, makes the whole push block and the grid of a launch over units
	// [first,first+units) of the whole array, for a kernel that knows no header:
	// Launch.Push, Mul, Div and Across do not count then. Such a kernel expects its
	// windows to begin where the binding begins, so Align must make every window
	// start at a multiple of OffsetAlign bytes.
	Own func(first, units int64) (push []uint32, groups [3]uint32)
	// Independent: no barrier is needed before this dispatch, it touches nothing
	// that the step before it wrote.
	Independent bool
}

// OffsetAlign is what the engine aligns bindings to, in bytes: enough for every
// device.
const OffsetAlign = 256

// Access of a binding by the kernel.
type Access uint8

// Accesses.
const (
	Read Access = iota
	Write
	ReadWrite
)

// Window says which part of an array a binding shows.
type Window uint8

const (
	// ByUnit: the units of this launch (the share's own part for Split, the
	// share's position for Replicated, units from 0 for Local), widened by
	// Before and After units (halo reach). Moves when a launch is cut.
	ByUnit Window = iota
	// Whole: all units the device holds.
	Whole
	// Fixed: units [First,First+Units) of what the device holds.
	Fixed
)

// Binding binds one array to a kernel.
type Binding struct {
	Array         string
	Access        Access
	Window        Window
	Before, After int64 // ByUnit
	First, Units  int64 // Fixed
}

// Launch is what one device runs: units [First,First+Units) counted from the
// start of its share, in ceil(Units*Mul/Div)*Across work-groups. Kernels see a
// linear work-group index (common/index.glsl), however the engine shapes the
// grid. Units 0: the device has nothing to do.
type Launch struct {
	First, Units int64
	Mul, Div     int64 // 0 counts as 1
	Across       int64 // 0 counts as 1
	Push         []uint32
}

// Groups is the number of work-groups for u units.
func (l Launch) Groups(u int64) int64 {
	mul, div, across := max(l.Mul, 1), max(l.Div, 1), max(l.Across, 1)
	return (u*mul + div - 1) / div * across
}

// Exchange refreshes the halos of Split arrays from the neighbouring shares:
// Depth units on each side (0 = the array's whole halo).
type Exchange struct {
	Arrays []string
	Depth  int64
}

// Host runs a function on the host between steps: In and Out name Local or
// Replicated arrays, read from device 0 and written to every device.
type Host struct {
	Label   string
	In, Out []string
	Do      func(in, out [][]uint32) error
}

// Overlap starts the communication of Comm when all work before it is done and runs
// Body meanwhile, as far as the transport lets both go on at once. The two touch
// nothing in common: Body computes the interior while Comm, an Exchange or a
// collective, carries what was computed before. Body holds dispatches only.
type Overlap struct {
	Comm Step
	Body []Dispatch
}

// Repeat runs Body Times times.
type Repeat struct {
	Times int
	Body  []Step
}

func (Dispatch) step() {}
func (Exchange) step() {}
func (Overlap) step()  {}
func (Host) step()     {}
func (Repeat) step()   {}
