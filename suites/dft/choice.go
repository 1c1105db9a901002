package dft

import (
	"slices"

	"github.com/amgpu/amgpu/suites"
)

const (
	// Definite is the number of points up to which every output of a chosen vector is
	// compared.
	Definite = 1 << 12
	// sampleClasses is the least number of residue classes of outputs in a sampled check.
	sampleClasses = 4
)

// Strides are the moduli by whose residues inputs and outputs are stored; 1: in order.
func (v Vectors) Strides() (in, out int64) {
	if v.Split != SplitFourStep {
		return 1, 1
	}
	t := NewFourStep(v.Ring, v.M)
	n1, n2 := int64(1)<<t.R1, int64(1)<<(v.M-t.R1)
	if v.Inverse {
		return n1, n2
	}
	return n2, n1
}

// Place is where index i lies when residues mod stride are stored together.
func (v Vectors) Place(i, stride int64) int64 { return i%stride*(v.N()/stride) + i/stride }

// Modulus is by which residues a check makes outputs: those of the storage, else so many
// that a class is short enough to be read one by one.
func (v Vectors) Modulus(full bool) int64 {
	_, out := v.Strides()
	switch {
	case out > 1:
		return out
	case full || v.N() <= Definite:
		return 1 << (v.M / 2)
	}
	return v.N() >> 8
}

// Chosen lists the vectors to check: all when the check is full, else Philox-chosen ones and
// the ends of every share.
func (v Vectors) Chosen(c *suites.Check, workload uint32) []int64 {
	if c.Full || v.Count <= 1 {
		return suites.SampleIndices(0, 0, 0, v.Count, int(v.Count))
	}
	k := 1
	if v.N() <= Definite {
		k = int(max(4*suites.MinSampled/v.N(), 4))
	}
	at := suites.SampleIndices(c.Build.Seed, workload, 0, v.Count, k)
	for _, s := range c.Program.Shares {
		if s.Len() > 0 {
			at = append(at, s.Lo, s.Hi-1)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// Residues lists the classes mod q to check.
func (v Vectors) Residues(c *suites.Check, workload uint32, q int64) []int64 {
	if c.Full || v.N() <= Definite {
		return suites.SampleIndices(0, 0, 0, q, int(q))
	}
	at := suites.SampleIndices(c.Build.Seed, workload, 1, q, max(sampleClasses, int(suites.MinSampled*q/v.N())))
	if v.Split == SplitFourStep {
		each := q / c.Program.Units
		for _, s := range c.Program.Shares {
			if s.Len() > 0 {
				at = append(at, s.Lo*each, s.Hi*each-1)
			}
		}
		slices.Sort(at)
		at = slices.Compact(at)
	}
	return at
}

// Class reads the outputs residue + q t, t < N/q, of a vector: their words, and where each
// element lies in y.
func (v Vectors) Class(c *suites.Check, vector, residue, q int64) (words []uint32, at []int64, err error) {
	_, stride := v.Strides()
	k := v.Ring.Words
	n, base := v.N()/q, vector*v.N()
	at = make([]int64, n)
	for t := range at {
		at[t] = base + v.Place(residue+q*int64(t), stride)
	}
	if n == 1 || at[1] == at[0]+1 {
		words, err = c.Out.Words("y", at[0]*k, n*k)
		return words, at, err
	}
	for _, i := range at {
		more, err := c.Out.Words("y", i*k, k)
		if err != nil {
			return nil, nil, err
		}
		words = append(words, more...)
	}
	return words, at, nil
}
