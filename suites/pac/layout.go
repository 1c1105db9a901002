package pac

import (
	"math"

	"github.com/amgpu/amgpu/suites/program"
)

// layout makes the arrays, kernels and dispatches of a problem.
type layout struct {
	*problem
	shares      []program.Share
	invocations int64 // that every device allows a work-group
}

// half is M, the points of the kernel's FFT: the power of two that holds a signal.
func (p *problem) half() int64 {
	m := int64(64)
	for m < p.samples {
		m *= 2
	}
	return m
}

func log2(n int64) (l uint32) {
	for ; n > 1; n /= 2 {
		l++
	}
	return l
}

// headWords precede the entries of a list: four for each bin.
const headWords = 4 * bins

// list is the length of a list in words: its headers, and up to one entry a sample (soft
// binning: two), the last group of every bin filled up to four.
func (p *problem) list() int64 {
	entries := p.samples
	if p.soft {
		entries *= 2
	}
	return headWords + (entries+3*bins+3)/4*4
}

// shortSamples is the longest signal for which kernels take half the shared memory.
const shortSamples = 2048

func flag(on bool) uint32 {
	if on {
		return 1
	}
	return 0
}

func (l layout) kernels() []program.Kernel {
	kind := uint32(1)
	if l.soft {
		kind = 2
	}
	long := ""
	if l.samples > shortSamples {
		long = "_long"
	}
	analytic := func(name string, kind uint32) program.Kernel {
		return program.Kernel{Name: name, Shader: "pac/analytic" + long, Spec: []program.Spec{
			{ID: 1, Value: log2(l.half())}, {ID: 3, Value: kind}, {ID: 4, Value: flag(l.direct)}}}
	}
	coupling := []program.Spec{{ID: 1, Value: uint32(l.samples)}, {ID: 2, Value: flag(l.soft)}, {ID: 3, Value: flag(l.sums)}}
	out := []program.Kernel{analytic("amplitude", 0), analytic("phase", kind), {Name: "observed", Shader: "pac/observed", Spec: coupling}}
	if l.perms > 0 {
		out = append(out, program.Kernel{Name: "surrogates", Shader: "pac/surrogate" + long, Spec: append(coupling, program.Spec{ID: 0, Value: l.surrogateGroup()})}, program.Kernel{Name: "scores", Shader: "pac/score"})
	}
	return out
}

// Work-groups of surrogates: one of more invocations shares its amplitudes among more of them.
const leastGroup, mostGroup = 256, 384

// surrogateGroup is the number of invocations of a work-group of surrogates that leaves the
// fewest idle in its last round, on the device with the most chunks; of equals the largest.
func (l layout) surrogateGroup() uint32 {
	own := l.chunks
	if l.split == "permutation" {
		own = 0
		for _, s := range l.shares {
			own = max(own, s.Len())
		}
	}
	row := (own + 31) / 32 * 32 // as pac/surrogate.glsl
	if (row-own)*16 > own {
		row = own
	}
	best, least := int64(leastGroup), int64(math.MaxInt64)
	for group := best; group <= min(mostGroup, max(l.invocations, leastGroup)); group += 32 {
		tasks := int64(len(l.pha)) * row
		if idle := (tasks+group-1)/group*group - tasks; idle <= least {
			best, least = group, idle
		}
	}
	return uint32(best)
}

// tables are the filters and twiddles that every device holds.
func (l layout) tables() []program.Array {
	m := l.half()
	bands := int64(len(l.pha) + len(l.amp))
	local := func(name string, n int64, fill func() []float32) program.Array {
		return program.Array{Name: name, Layout: program.Local, Units: 1, Stride: (n + 3) / 4 * 4,
			Source: program.Source{Kind: program.Made, Make: words(fill)}}
	}
	return []program.Array{
		local("spectra", (bands+1)*2*m, func() []float32 {
			var out []float32
			for _, taps := range l.taps {
				out = append(out, spectrum(centred(taps, 2*m), m)...)
			}
			return append(out, spectrum(hilbertKernel(l.samples, 2*m), m)...)
		}),
		local("turns", 3*m, func() []float32 { return turns(m) }),
		local("taps", bands*int64(len(l.taps[0])), func() []float32 {
			var out []float32
			for _, taps := range l.taps {
				out = append(out, taps...)
			}
			return out
		}),
	}
}

// launches gives every device one launch over its share in `across` work-groups a unit.
func (l layout) launches(across int64, push ...uint32) []program.Launch {
	out := make([]program.Launch, len(l.shares))
	for d, s := range l.shares {
		out[d] = program.Launch{Units: s.Len(), Across: across, Push: push}
	}
	return out
}

// everywhere gives every device the same one launch.
func (l layout) everywhere(groups int64, push ...uint32) []program.Launch {
	out := make([]program.Launch, len(l.shares))
	for d := range out {
		out[d] = program.Launch{Units: 1, Across: groups, Push: push}
	}
	return out
}

// analytic is the dispatch that makes the lists of the phase or the amplitudes.
func (l layout) analytic(kind string) program.Dispatch {
	out, bands, first, stride := "lists", len(l.pha), 0, l.list()
	if kind == "amplitude" {
		out, bands, first, stride = "amplitudes", len(l.amp), len(l.pha), l.samples
	}
	return program.Dispatch{
		Label: kind, Kernel: kind, Independent: kind == "amplitude",
		Bind: []program.Binding{
			{Array: out, Access: program.Write},
			{Array: "x", Access: program.Read},
			{Array: "spectra", Access: program.Read, Window: program.Whole},
			{Array: "turns", Access: program.Read, Window: program.Whole},
			{Array: "taps", Access: program.Read, Window: program.Whole},
		},
		On: l.launches(l.perUnit*int64(bands), uint32(l.perUnit), uint32(l.signals), uint32(bands), uint32(first),
			uint32(len(l.taps)), uint32(l.samples), uint32(stride), uint32(len(l.taps[0]))),
	}
}

// window is Whole where one launch sees all signals.
func window(whole bool) program.Window {
	if whole {
		return program.Whole
	}
	return program.ByUnit
}

func (l layout) pairs() int64 { return int64(len(l.amp)+1) / 2 }

func (l layout) observed(perms bool) program.Dispatch {
	push := []uint32{uint32(l.perUnit), uint32(len(l.pha)), uint32(len(l.amp)), uint32(l.list() / 4), flag(perms)}
	on := l.launches(l.perUnit*l.pairs(), push...)
	if perms {
		push[0] = uint32(l.signals)
		on = l.everywhere(l.signals*l.pairs(), push...)
	}
	return program.Dispatch{
		Label: "observed", Kernel: "observed",
		Bind: []program.Binding{
			{Array: "mi", Access: program.Write, Window: window(perms)},
			{Array: "lists", Access: program.Read, Window: window(perms)},
			{Array: "amplitudes", Access: program.Read, Window: window(perms)},
		},
		On: on,
	}
}

func (l layout) surrogates(seed uint64, perms bool) program.Dispatch {
	push := []uint32{uint32(l.perUnit), uint32(len(l.pha)), uint32(len(l.amp)), uint32(l.list() / 4),
		uint32(l.chunks), uint32(l.chunk), uint32(l.perms), uint32(seed), uint32(seed >> 32), flag(perms)}
	across := l.perUnit * l.pairs()
	if perms {
		push[0] = uint32(l.signals)
		across = l.signals * l.pairs()
	}
	on := l.launches(across, push...)
	if perms { // all chunks of a launch in one work-group
		for d := range on {
			on[d].Div = l.units
		}
	}
	return program.Dispatch{
		Label: "surrogates", Kernel: "surrogates", Independent: true,
		Bind: []program.Binding{
			{Array: "partials", Access: program.Write},
			{Array: "lists", Access: program.Read, Window: window(perms)},
			{Array: "amplitudes", Access: program.Read, Window: window(perms)},
		},
		On: on,
	}
}

func (l layout) scores(perms bool) program.Dispatch {
	values := int64(len(l.pha) * len(l.amp))
	push := []uint32{uint32(l.perUnit * values), uint32(l.chunks), uint32(l.chunk), uint32(l.perms), 1, uint32(l.chunks), 0}
	on := l.launches(1, push...)
	for d := range on {
		on[d].Mul, on[d].Div, on[d].Across = l.perUnit*values, groupSize, 1
	}
	if perms {
		values *= l.signals
		push[0], push[4], push[5], push[6] = uint32(values), uint32(values), 1, 1
		on = l.everywhere((values+groupSize-1)/groupSize, push...)
	}
	return program.Dispatch{
		Label: "scores", Kernel: "scores",
		Bind: []program.Binding{
			{Array: "z", Access: program.Write, Window: window(perms)},
			{Array: "partials", Access: program.Read, Window: window(perms)},
			{Array: "mi", Access: program.Read, Window: window(perms)},
		},
		On: on,
	}
}

const groupSize = 256
