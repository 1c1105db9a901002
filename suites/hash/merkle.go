// Package hash holds the hashing workloads.
package hash

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(merkle{}) }

type merkle struct{}

const (
	idLeaves = 1
	// hashWords is the length of a leaf or node in words.
	hashWords = 8
	groupSize = 256
	// maxShift bounds a subtree to 2^20 leaves, 32 MiB: it must fit a binding.
	// With at most maxTop subtrees, what the top kernel takes, that bounds a tree.
	maxShift  = 20
	maxTop    = 1024
	minUnits  = 256
	maxLeaves = maxTop << maxShift
	// blockOps is the nominal number of 32-bit operations of one compression.
	blockOps = 2200
)

func (merkle) Info() suites.Info {
	return suites.Info{
		ID: "hash/merkle", Number: 30,
		Doc:           "binary SHA-256 tree over 32-byte leaves",
		Source:        "SuperVM; RFC 6962, FIPS 180-4",
		Formula:       "leaf H(00|x), node H(01|L|R), an odd last node is promoted; raw: node H(L|R), an odd last node is paired with itself",
		Sizes:         suites.Sizes{S: 1000, M: 1 << 22, L: 1 << 28},
		SizeUnit:      "leaves",
		WorkUnit:      "compression",
		Flops:         "2200 integer operations per compression (rfc6962: 1 a leaf, 2 a node)",
		Arithmetic:    "int32",
		Bytes:         "96 per node",
		Splits:        []string{"subtrees"},
		Communication: "all-gather of 32 B per subtree, then the top levels on every device",
		Tolerance:     "E0",
		Weak:          "leaves proportional to the number of devices",
		Params: []suites.Param{
			{Name: "raw", Doc: "1: no domain separation, an odd last node paired with itself (insecure: CVE-2012-2459)", Default: 0, Min: 0, Max: 1},
		},
	}
}

// tree is the problem: leaves, and subtrees of 2^shift leaves each.
type tree struct {
	leaves int64
	shift  int
	raw    bool
}

// treeOf chooses the largest subtrees of which there are at least minUnits; with
// fewer leaves than that every leaf is one.
func treeOf(b suites.Build) (tree, error) {
	t := tree{leaves: b.Size, raw: b.Params["raw"] == 1}
	if t.leaves < 1 || t.leaves > maxLeaves {
		return t, fmt.Errorf("hash/merkle: %d leaves: choose 1 to %d", t.leaves, int64(maxLeaves))
	}
	for t.shift < maxShift && t.nodes(t.shift+1) >= minUnits {
		t.shift++
	}
	if limit := b.Limits.BindingBytes; limit > 0 && (4*hashWords)<<t.shift > limit {
		return t, fmt.Errorf("hash/merkle: a subtree of %d bytes does not fit a binding of %d bytes: choose fewer leaves",
			int64(4*hashWords)<<t.shift, limit)
	}
	return t, nil
}

// nodes is the number of nodes at a level; level 0 are the leaves.
func (t tree) nodes(level int) int64 {
	return (t.leaves + 1<<level - 1) >> level
}

// units is the number of subtrees; the last may be ragged.
func (t tree) units() int64 { return t.nodes(t.shift) }

// base is the node inside a unit of the array "nodes" at which a level starts
// (1 <= level < shift).
func (t tree) base(level int) int64 {
	return int64(1)<<t.shift - int64(1)<<(t.shift-level+1)
}

// compressions counts the calls of SHA-256's compression function.
func (t tree) compressions() float64 {
	if !t.raw {
		return float64(t.leaves) + 2*float64(t.leaves-1)
	}
	var n int64
	for level := 0; t.nodes(level) > 1; level++ {
		n += (t.nodes(level) + 1) / 2
	}
	return float64(max(2*n, 1))
}

func (merkle) Build(b suites.Build) (*program.Program, error) {
	t, err := treeOf(b)
	if err != nil {
		return nil, err
	}
	units := t.units()
	spec := []program.Spec{{ID: 1, Value: 1}}
	if t.raw {
		spec[0].Value = 0
	}
	p := &program.Program{
		Units: units, Shares: b.Divide(units, 1),
		Arrays: []program.Array{
			{Name: "leaves", Elem: program.U32, Layout: program.Split, Units: units, Stride: hashWords << t.shift,
				Source: program.Source{Kind: program.PhiloxRaw, ID: idLeaves}},
			{Name: "roots", Elem: program.U32, Layout: program.Replicated, Units: units, Stride: hashWords, Output: true},
			{Name: "root", Elem: program.U32, Layout: program.Replicated, Units: 1, Stride: hashWords, Output: true},
		},
		Kernels: []program.Kernel{
			{Name: "leaf", Shader: "hash/leaf", Spec: spec},
			{Name: "node", Shader: "hash/node", Spec: spec},
			{Name: "top", Shader: "hash/top", Spec: spec},
		},
		Work:  t.compressions(),
		Flops: blockOps * t.compressions(),
		Bytes: 96 * float64(max(t.leaves-1, 1)),
	}
	if t.shift >= 2 { // levels between the leaves and the roots
		p.Arrays = append(p.Arrays, program.Array{
			Name: "nodes", Elem: program.U32, Layout: program.Split, Units: units, Stride: hashWords << t.shift,
		})
	}
	p.Steps = append(p.Steps, t.bottom(p.Shares))
	for level := 1; level < t.shift; level++ {
		p.Steps = append(p.Steps, t.level(p.Shares, level))
	}
	p.Steps = append(p.Steps, program.AllGather{Arrays: []string{"roots"}}, t.top(p.Shares))
	return p, nil
}

// place is where a level (above the leaves) is stored: the array, log2 of its nodes
// per unit, and the node inside a unit at which the level starts.
func (t tree) place(level int) (array string, shift, base uint32) {
	if level == t.shift {
		return "roots", 0, 0
	}
	return "nodes", uint32(t.shift), uint32(t.base(level))
}

// bottom hashes leaves into the first stored level.
func (t tree) bottom(shares []program.Share) program.Dispatch {
	level := min(1, t.shift) // single leaves are their own subtrees
	array, shift, base := t.place(level)
	return t.dispatch("leaf", shares, "leaves", array, t.shift-level,
		uint32(t.shift), shift, base, uint32(t.leaves), uint32(level))
}

// level hashes one level into the next, below the roots or onto them.
func (t tree) level(shares []program.Share, from int) program.Dispatch {
	array, shift, base := t.place(from)
	to, toShift, toBase := t.place(from + 1)
	logOut := t.shift - from - 1
	return t.dispatch("node", shares, array, to, logOut,
		uint32(logOut), shift, base, toShift, toBase, uint32(t.nodes(from)))
}

func (t tree) dispatch(kernel string, shares []program.Share, from, to string, logOut int, push ...uint32) program.Dispatch {
	d := program.Dispatch{
		Label: kernel, Kernel: kernel,
		Bind: []program.Binding{{Array: from, Access: program.Read}, {Array: to, Access: program.Write}},
	}
	for _, s := range shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Mul: 1 << logOut, Div: groupSize, Push: push})
	}
	return d
}

// top hashes all roots into one, in one work-group on every device.
func (t tree) top(shares []program.Share) program.Dispatch {
	d := program.Dispatch{
		Label: "top", Kernel: "top",
		Bind: []program.Binding{
			{Array: "roots", Access: program.Read, Window: program.Whole},
			{Array: "root", Access: program.Write, Window: program.Whole},
		},
	}
	for range shares {
		d.On = append(d.On, program.Launch{Units: 1, Push: []uint32{uint32(t.units())}})
	}
	return d
}
