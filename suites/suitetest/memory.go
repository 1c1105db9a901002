// Package suitetest helps test workloads without a device: a request for a
// program, the invariants every program must keep, and a reader over words in
// host memory that stands in for the devices in a check.
package suitetest

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/program"
)

// Memory is a suites.Reader over arrays in host memory: the same words for every
// device, unless Local holds others for (array, device).
type Memory struct {
	Arrays map[string][]uint32
	Local  map[string]map[int][]uint32
}

// Words returns elements [first,first+n) of an array.
func (m Memory) Words(array string, first, n int64) ([]uint32, error) {
	return m.LocalWords(array, 0, first, n)
}

// LocalWords returns elements [first,first+n) of one device's copy.
func (m Memory) LocalWords(array string, device int, first, n int64) ([]uint32, error) {
	words, ok := m.Local[array][device]
	if !ok {
		words, ok = m.Arrays[array]
	}
	if !ok {
		return nil, fmt.Errorf("no array %q", array)
	}
	if first < 0 || n < 0 || first+n > int64(len(words)) {
		return nil, fmt.Errorf("elements %d to %d of array %q with %d", first, first+n, array, len(words))
	}
	return words[first : first+n], nil
}

// Build is a strong-scaling request: size over count devices, equally divided,
// default parameters, and the least limits Vulkan allows.
func Build(w suites.Workload, size int64, count int) suites.Build {
	info := w.Info()
	b := suites.Build{
		Size: size, Base: size, Label: "custom", Count: count, Seed: 42,
		Params: map[string]int64{},
		Limits: suites.Limits{SharedBytes: 16 << 10, Invocations: 128, SubgroupSize: 4, BindingBytes: 1 << 27, Class: suites.Other},
	}
	for _, p := range info.Params {
		b.Params[p.Name] = p.Default
	}
	if len(info.Splits) > 0 {
		b.Split = info.Splits[0]
	}
	if len(info.Algorithms) > 0 {
		b.Algorithm = info.Algorithms[0]
	}
	b.Divide = func(units, granule int64) []program.Share {
		equal, err := partition.Equal(partition.Request{Units: units, Count: count, Granule: granule})
		if err != nil {
			panic(err) // a workload asked for what cannot be divided
		}
		shares := make([]program.Share, len(equal))
		for i, s := range equal {
			shares[i] = program.Share{Lo: s.Lo, Hi: s.Hi}
		}
		return shares
	}
	return b
}

// Weak is a weak-scaling request: base on each of count devices.
func Weak(w suites.Workload, base int64, count int) suites.Build {
	b := Build(w, base*int64(count), count)
	if sizer, ok := w.(suites.WeakSizer); ok {
		b.Size = sizer.WeakSize(base, count)
	}
	b.Base, b.Weak = base, true
	return b
}

// Uneven replaces the division by one whose second share is empty and whose
// first is three times the others'. Without a second device it is the whole.
func Uneven(b suites.Build) suites.Build {
	count := int64(b.Count)
	b.Divide = func(units, granule int64) []program.Share {
		shares := make([]program.Share, count)
		cut := func(part, of int64) int64 { return min(units, units*part/of/granule*granule) }
		var lo int64
		for i := range shares {
			hi := cut(3, count+1)
			if i > 0 {
				hi = cut(2+int64(i), count+1)
			}
			if i == len(shares)-1 {
				hi = units
			}
			hi = max(hi, lo)
			shares[i] = program.Share{Lo: lo, Hi: hi}
			lo = hi
		}
		return shares
	}
	return b
}
