package suites

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Tunable is a constant of a workload's kernels that changes how fast they are and not
// what they compute: work-group size, tile, unrolling, vector width. Values that change
// the bits of outputs are no tunables; the search refuses those that do on a device.
type Tunable struct {
	Name string
	Doc  string
	// Values are what the search tries, ascending.
	Values []int64
	// Default is one of Values, as measured on NVIDIA Hopper.
	Default int64
	// Else are the defaults of other classes of devices, where they differ.
	Else []ClassDefault
}

// ClassDefault is the default of a tunable for one class of devices, with the reason.
type ClassDefault struct {
	Class Class
	Value int64
	Why   string
}

// Class is a kind of devices that share defaults.
type Class string

// Classes. Defaults were measured on Hopper; those of the other GPUs follow from what
// their vendors document and were never measured on them.
const (
	Hopper   Class = "nvidia-hopper"
	NVIDIA   Class = "nvidia"
	AMD      Class = "amd"
	Intel    Class = "intel"
	Other    Class = "other"
	Software Class = "software" // drivers that compute on the CPU
)

// Classes are all of them.
func Classes() []Class { return []Class{Hopper, NVIDIA, AMD, Intel, Other, Software} }

// Measured says whether the defaults of a class were measured on it.
func (c Class) Measured() bool { return c == Hopper }

// PCI vendor numbers.
const (
	vendorNVIDIA = 0x10DE
	vendorAMD    = 0x1002
	vendorIntel  = 0x8086
)

// ClassOf is the class of a device of that PCI vendor and name.
func ClassOf(vendor uint32, name string, software bool) Class {
	switch {
	case software:
		return Software
	case vendor == vendorNVIDIA && hopper(name):
		return Hopper
	case vendor == vendorNVIDIA:
		return NVIDIA
	case vendor == vendorAMD:
		return AMD
	case vendor == vendorIntel:
		return Intel
	}
	return Other
}

// hopper knows the products of that generation by name: Vulkan tells no compute capability.
func hopper(name string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToUpper(name)), func(word string) bool {
		return slices.Contains([]string{"H100", "H200", "H800", "H20", "GH200"}, strings.TrimSuffix(word, ","))
	})
}

// For is the default for a class.
func (t Tunable) For(c Class) int64 {
	for _, e := range t.Else {
		if e.Class == c {
			return e.Value
		}
	}
	return t.Default
}

// Tuned is the value of a tunable: what was given or found by a search, else the
// default of the pool's class.
func (b Build) Tuned(t Tunable) int64 {
	if v, ok := b.Tuning[t.Name]; ok {
		return v
	}
	return t.For(cmp.Or(b.Limits.Class, Other))
}

// Group is the value of a tunable that is the size of work-groups. An error says that a
// device of the pool does not allow the one chosen.
func (b Build) Group(t Tunable) (int64, error) {
	v := b.Tuned(t)
	if _, chosen := b.Tuning[t.Name]; chosen && b.Limits.Invocations > 0 && v > b.Limits.Invocations {
		most, by := b.Limits.Invocations, cmp.Or(b.Limits.Smallest, "a device of the pool")
		return 0, fmt.Errorf("work-groups of %d invocations, %s allows %d: choose a smaller --constant %s", v, by, most, t.Name)
	}
	return v, nil
}
