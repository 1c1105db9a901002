// Package peak measures what a device can do at most: rates of arithmetic, bandwidths of
// memories near the processors, latencies, atomics and transfers from and to the host.
// What they reach is the roofs that other workloads are held against. Bandwidth of the
// device's memory is memory/read, memory/copy and memory/triad.
package peak

import (
	"fmt"
	"strings"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const (
	number    = 44 // also the Philox id
	groupSize = 256
	maxUnits  = 1 << 40
	unrolled  = 16 // steps written out in a shader, once for each repeat
	chains    = 16
	seedWords = 4
)

// Array ids of the sources.
const (
	idX = iota
	idA
	idB
)

// rate is a workload whose invocations run chains of one operation in registers, from
// a seed of four words and, where the operation has them, two factors a and b.
type rate struct {
	info    suites.Info
	shader  string
	spec    []program.Spec
	needs   []string
	ops     float64 // operations of an invocation for each repeat
	words   int64   // of an output
	x, a, b program.Source
	alone   bool // no a and b
	// judge compares the output of one invocation with the reference.
	judge func(t *suites.Tally, i int64, got, x []uint32, a, b uint32, repeat int)
}

// rateInfo is what the rates have in common.
func rateInfo(i suites.Info, ops float64, most int64) suites.Info {
	i.Number = number
	if i.Roof == "" {
		i.Roof = strings.TrimPrefix(i.ID, "peak/")
	}
	i.Arithmetic = i.Roof
	i.Source = "amgpu; what clpeak and vkpeak measure"
	i.SizeUnit = "invocations"
	if i.WorkUnit == "" {
		i.WorkUnit = "op"
	}
	i.Flops = fmt.Sprintf("%.0f repeat per invocation", ops)
	i.Bytes = "seeds and one result per invocation"
	i.Splits = []string{"ranges"}
	i.Communication = "none"
	i.Weak = "invocations proportional to the number of devices"
	i.Params = []suites.Param{{Name: "repeat", Doc: "times 16 steps of the chains of an invocation", Default: 128, Min: 1, Max: most}}
	return i
}

func (r rate) Info() suites.Info { return r.info }

func (r rate) Build(b suites.Build) (*program.Program, error) {
	if b.Size < 1 || b.Size > maxUnits {
		return nil, fmt.Errorf("%s: size %d: choose from 1 to %d invocations", r.info.ID, b.Size, int64(maxUnits))
	}
	shares := b.Divide(b.Size, groupSize)
	launches := make([]program.Launch, len(shares))
	for d, s := range shares {
		launches[d] = program.Launch{Units: s.Len(), Div: groupSize, Push: []uint32{uint32(b.Params["repeat"])}}
	}
	array := func(name string, stride int64, s program.Source) program.Array {
		return program.Array{Name: name, Elem: program.U32, Layout: program.Split, Units: b.Size, Stride: stride, Source: s}
	}
	out := array("sums", r.words, program.Source{})
	out.Output = true
	arrays := []program.Array{out, array("x", seedWords, r.x)}
	bind := []program.Binding{{Array: "sums", Access: program.Write}, {Array: "x", Access: program.Read}}
	if !r.alone {
		arrays = append(arrays, array("a", 1, r.a), array("b", 1, r.b))
		bind = append(bind, program.Binding{Array: "a", Access: program.Read}, program.Binding{Array: "b", Access: program.Read})
	}
	words := int64(0)
	for _, a := range arrays {
		words += a.Stride
	}
	n := float64(b.Size)
	p := &program.Program{
		Units: b.Size, Shares: shares, Arrays: arrays,
		Kernels: []program.Kernel{{Name: "main", Shader: r.shader, Spec: r.spec, Needs: r.needs}},
		Steps:   []program.Step{program.Dispatch{Label: "compute", Kernel: "main", Bind: bind, On: launches}},
		Flops:   r.ops * float64(b.Params["repeat"]) * n,
		Bytes:   4 * float64(words) * n,
	}
	p.Work = p.Flops
	return p, nil
}

// Verify runs the chains of invocations on the CPU.
func (r rate) Verify(c *suites.Check) (suites.Outcome, error) {
	repeat := int(c.Build.Params["repeat"])
	xs, as, bs := word(c, r.x), word(c, r.a), word(c, r.b)
	tally, err := c.EachUnit("sums", c.Program.Units, func(u int64, got []uint32, t *suites.Tally) {
		x := make([]uint32, seedWords)
		for k := range x {
			x[k] = xs(u*seedWords + int64(k))
		}
		r.judge(t, u, got, x, as(u), bs(u), repeat)
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	class, _, _ := cutClass(r.info.Tolerance)
	return tally.Outcome(class, ""), nil
}
