// Package relativity holds the workloads of gravitation and of spacetime algebra.
package relativity

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(nbody{}) }

type nbody struct{}

const (
	idPos, idVel = 1, 2
	// Positions and masses lie in [0,1), velocity components in [-1/2,1/2); with
	// G = 1/n the total mass times G is about 1/2 and accelerations are of order 1.
	velLo, velHi = float32(-0.5), float32(0.5)
	// dt and eps^2 are powers of two, so halving and squaring are exact.
	dt   = float32(1.0 / 1024)
	eps2 = float32(1.0 / 1024)
	// tileBodies is the kernel's tile, groupSize its work-group.
	tileBodies = 1024
	groupSize  = 256
)

func (nbody) Info() suites.Info {
	return suites.Info{
		ID: "relativity/nbody", Number: 26,
		Doc:           "gravity of all pairs, leapfrog, positions all-gathered every step",
		Source:        "Amari; direct summation with Plummer softening",
		Formula:       "a_i = G sum_j m_j d_ij / (|d_ij|^2 + eps^2)^(3/2), kick-drift-kick",
		Sizes:         suites.Sizes{S: 512, M: 65536, L: 1 << 20},
		SizeUnit:      "bodies",
		Layout:        "a body is x, y, z, mass; velocity and acceleration in the first three of four",
		WorkUnit:      "pair",
		Flops:         "20 per pair and step",
		Bytes:         "112 per body and step",
		Splits:        []string{"targets"},
		Communication: "all-gather of positions, 16 n B, every step",
		Tolerance:     "E1: (chain + 40) u sum|terms| per component of the acceleration, momentum within the same; D0",
		Weak:          "bodies proportional to the number of devices (pairs grow with its square: compare rates)",
		Params: []suites.Param{
			{Name: "steps", Doc: "leapfrog steps of one iteration", Default: 4, Min: 1, Max: 100000},
		},
		Tunables: []suites.Tunable{forceGroup, forceTargets, forceUnroll},
	}
}

// The constants of the kernel that leave the order of summation alone.
var (
	forceGroup = suites.Tunable{
		Name: "group", Doc: "invocations of a work-group, which share tiles of 1024 bodies", Values: []int64{128, 256, 512}, Default: 256,
	}
	forceTargets = suites.Tunable{
		Name: "targets", Doc: "bodies whose acceleration an invocation sums", Values: []int64{1, 2, 4}, Default: 4,
		Else: []suites.ClassDefault{
			{Class: suites.Software, Value: 2, Why: "half of the code to compile"},
			{Class: suites.Intel, Value: 1, Why: "a body is read from shared memory once for 16 invocations, which one target each hides; more take registers"},
		},
	}
	forceUnroll = suites.Tunable{
		Name: "unroll", Doc: "bodies of one turn of the inner loop", Values: []int64{4, 8, 16}, Default: 16,
	}
)

// tuning is the kernel's shape. parts fixes the order of summation, so it is chosen from
// the number of bodies alone: few bodies need more invocations each.
type tuning struct{ parts, group, targets, unroll int64 }

// parts of the sum for n bodies.
func parts(n int64) int64 {
	if n <= 1<<17 {
		return 8
	}
	return 2
}

func tune(b suites.Build) (tuning, error) {
	group, err := b.Group(forceGroup)
	t := tuning{parts(b.Size), group, b.Tuned(forceTargets), b.Tuned(forceUnroll)}
	if _, given := b.Tuning[forceTargets.Name]; !given && t.targets > 1 && t.group*t.targets*b.Size > longGroup {
		t.targets /= 2
	}
	return t, err
}

// longGroup is from how many pairs on a work-group takes so long that the last ones of a
// submission leave most of a GPU idle: 0.14 s on an H200.
const longGroup = 1 << 28

func (t tuning) spec() []program.Spec {
	return []program.Spec{{ID: 0, Value: uint32(t.group)}, {ID: 1, Value: uint32(t.parts)}, {ID: 2, Value: uint32(t.targets)}, {ID: 3, Value: uint32(t.unroll)}}
}

// perGroup is the number of targets of one work-group.
func (t tuning) perGroup() int64 { return t.group / t.parts * t.targets }

// chain is the longest chain of additions behind one acceleration: of a part's bodies in whole
// tiles and in the last, which is shared out in runs of 16, but never more than there are
// bodies, then of the parts.
func chain(n int64) float64 {
	whole, left := n/tileBodies*tileBodies, n%tileBodies
	run := 16 * parts(n)
	slice := (left + run - 1) / run * 16
	return float64(min(whole/parts(n)+slice, n) + parts(n))
}

func (nbody) Build(b suites.Build) (*program.Program, error) {
	n := b.Size
	limit := b.Limits.BindingBytes
	if limit <= 0 {
		limit = 1 << 27
	}
	if most := (limit - 256) / 16; n < 1 || n > most {
		return nil, fmt.Errorf("relativity/nbody: %d bodies: choose 1 to %d, all positions must fit one binding", n, most)
	}
	steps := int(max(b.Params["steps"], 1))
	t, err := tune(b)
	if err != nil {
		return nil, err
	}
	p := &program.Program{
		Units: n, Shares: b.Divide(n, 1),
		Arrays: []program.Array{
			{Name: "pos", Layout: program.Replicated, Units: n, Stride: 4, Source: program.Random(idPos, 0, 1), Output: true},
			{Name: "vel", Layout: program.Split, Units: n, Stride: 4, Source: program.Random(idVel, velLo, velHi), Output: true},
			{Name: "acc", Layout: program.Split, Units: n, Stride: 4, Source: program.Source{Kind: program.Zero}, Output: true},
		},
		Kernels: []program.Kernel{
			{Name: "force", Shader: "relativity/force", Spec: t.spec()},
			{Name: "drift", Shader: "relativity/drift"},
		},
		Evolves: true,
		Work:    float64(n) * float64(n) * float64(steps),
	}
	p.Flops = 20 * p.Work
	p.Bytes = 112 * float64(n) * float64(steps)
	// The first accelerations; no kick.
	p.Setup = []program.Step{force(p.Shares, n, t, 0)}
	p.Steps = []program.Step{program.Repeat{Times: steps, Body: []program.Step{
		drift(p.Shares),
		program.AllGather{Arrays: []string{"pos"}},
		force(p.Shares, n, t, dt/2),
	}}}
	return p, nil
}

// force is the step that sums accelerations and makes the second half kick.
func force(shares []program.Share, n int64, t tuning, halfDt float32) program.Dispatch {
	d := program.Dispatch{
		Label: "force", Kernel: "force", Align: t.perGroup(),
		Bind: []program.Binding{
			{Array: "pos", Access: program.Read, Window: program.Whole},
			{Array: "acc", Access: program.Write},
			{Array: "vel", Access: program.ReadWrite},
		},
	}
	push := []uint32{uint32(n), math.Float32bits(eps2), math.Float32bits(gravity(n)), math.Float32bits(halfDt)}
	for _, s := range shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: t.perGroup(), Push: push})
	}
	return d
}

// gravity is the constant G for n bodies.
func gravity(n int64) float32 { return 1 / float32(n) }

// drift is the step with the first half kick and the move.
func drift(shares []program.Share) program.Dispatch {
	d := program.Dispatch{
		Label: "drift", Kernel: "drift",
		Bind: []program.Binding{
			{Array: "pos", Access: program.ReadWrite},
			{Array: "vel", Access: program.ReadWrite},
			{Array: "acc", Access: program.Read},
		},
	}
	push := []uint32{math.Float32bits(dt), math.Float32bits(dt / 2)}
	for _, s := range shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: groupSize, Push: push})
	}
	return d
}
