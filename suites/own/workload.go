// Package own makes a workload of the user's own SPIR-V kernel and a description
// of it in YAML: what it binds, how it divides, what it must compute.
package own

import (
	"fmt"
	"math"
	"slices"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// number is the Philox workload id of own kernels; a binding's number is the array id.
const number = 0x4f574e // "OWN"

// maxTotal keeps byte counts far from overflow.
const maxTotal = 1 << 50

// Workload is a described kernel with its module.
type Workload struct {
	kernel *Kernel
	module *Module
	entry  Entry
	spec   []program.Spec
}

// New puts description and module together; an error says where they disagree.
func New(k *Kernel, m *Module) (*Workload, error) {
	w := &Workload{kernel: k, module: m}
	for _, s := range k.Spec {
		if !slices.ContainsFunc(m.Spec, func(have Spec) bool { return have.ID == s.ID }) {
			ids := make([]uint32, len(m.Spec))
			for i, have := range m.Spec {
				ids[i] = have.ID
			}
			return nil, bad("spec: the module has no specialization constant %d, its ids are %v", s.ID, ids)
		}
		w.spec = append(w.spec, program.Spec{ID: s.ID, Value: word(s.Type, s.Value)})
	}
	var err error
	if w.entry, err = m.entry(k.Entry); err != nil {
		return nil, err
	}
	if size := w.entry.GroupSize(w.spec); slices.Contains(size[:], 0) {
		return nil, bad("spec: it makes work-groups of %d x %d x %d invocations: give the constant of a work-group's size a value from 1 on", size[0], size[1], size[2])
	}
	for _, b := range m.Buffers {
		own := k.binding(int(b.Binding))
		switch {
		case own == nil:
			return nil, bad("bindings: the module uses binding %d%s, the description leaves it out: write an entry for it", b.Binding, b.called())
		case b.Type != "" && types[own.Type] != types[b.Type]:
			return nil, bad("binding %d: type %s, the module has %s", b.Binding, own.Type, b.Type)
		case own.Access == "":
			own.Access = b.access()
		case b.Readonly && own.written():
			return nil, bad("binding %d: access %s, the module declares it readonly", b.Binding, own.Access)
		case b.Written && own.Access != "write":
			return nil, bad("binding %d: access %s, the module declares it writeonly", b.Binding, own.Access)
		}
	}
	for i := range k.Bindings {
		b := &k.Bindings[i]
		if !slices.ContainsFunc(m.Buffers, func(have Buffer) bool { return int(have.Binding) == b.Number }) {
			return nil, bad("binding %d: the module has no such storage buffer", b.Number)
		}
		switch {
		case b.checked() && !b.written():
			return nil, bad("binding %d: an expected output of a binding that is only read", b.Number)
		case b.Access == "read" && b.Fill == "":
			return nil, bad("binding %d is read: say how it is filled, such as fill: philox", b.Number)
		}
	}
	bytes := 0
	for _, p := range k.Push {
		bytes = align(bytes, int(types[p.Type])) + int(types[p.Type])
	}
	if bytes > maxPush || bytes < m.Push {
		return nil, bad("push: %d bytes are described, the module's block has %d (at most %d are possible)", bytes, m.Push, maxPush)
	}
	return w, nil
}

// access is what a module's decorations say.
func (b Buffer) access() string {
	switch {
	case b.Readonly:
		return "read"
	case b.Written:
		return "write"
	}
	return "read_write"
}

// Hash is the hex sha256 of the module.
func (w *Workload) Hash() string { return w.module.Hash }

// Unchecked says that the description has no expected output.
func (w *Workload) Unchecked() bool { return w.kernel.Unchecked }

// Info describes the workload.
func (w *Workload) Info() suites.Info {
	k := w.kernel
	i := suites.Info{
		ID: "own/" + k.Name, Number: number, Doc: "The user's own kernel", Source: "SPIR-V sha256 " + w.module.Hash,
		Sizes: k.Sizes, SizeUnit: "elements", WorkUnit: w.workUnit(),
		Splits: []string{"elements"}, Communication: "none", Tolerance: "as described",
		Weak: "units proportional to the number of devices", Features: w.module.Needs,
	}
	if k.Rows {
		i.SizeUnit, i.Splits = "rows", []string{"rows"}
	}
	if k.Halo > 0 {
		i.Communication = fmt.Sprintf("halo: %d units each way before every run", k.Halo)
	}
	for _, e := range []struct {
		to   *string
		from *expr
	}{{&i.Flops, k.Flops}, {&i.Bytes, k.Bytes}} {
		if e.from != nil {
			*e.to = e.from.text + " per unit"
		}
	}
	return i
}

func (w *Workload) workUnit() string {
	switch {
	case w.kernel.Flops != nil:
		return "flop"
	case w.kernel.Bytes != nil:
		return "B"
	}
	return "unit"
}

// word is the first 32 bits of a value of a type.
func word(typ string, v float64) uint32 {
	if typ == "f32" {
		return math.Float32bits(float32(v))
	}
	return uint32(int64(v))
}

func align(at, to int) int { return (at + to - 1) / to * to }

// push makes the push-constant block, laid out as std430 does: every value at a
// multiple of its size.
func (k *Kernel) push(values map[string]float64) ([]uint32, error) {
	var out []uint32
	for i, p := range k.Push {
		if types[p.Type] == 8 && len(out)%2 == 1 {
			out = append(out, 0)
		}
		v, err := p.Value.number(&scope{values: values})
		if err != nil {
			return nil, p.Value.at("push[%d]: %w", i, err)
		}
		if p.Type == "f32" {
			if f := float64(float32(v)); math.IsInf(f, 0) || f != f {
				return nil, p.Value.at("push[%d]: %s is %v for n = %v, which type f32 does not hold: write an expression with a finite value", i, p.Value.text, v, values["n"])
			}
			out = append(out, word("f32", v))
			continue
		}
		least, most := float64(math.MinInt32), float64(math.MaxInt32)
		switch p.Type {
		case "u32":
			least, most = 0, math.MaxUint32
		case "i64":
			least, most = -(1 << 53), 1<<53
		case "u64":
			least, most = 0, 1<<53
		}
		if v != math.Trunc(v) || v != v || v < least || v > most {
			return nil, p.Value.at("push[%d]: %s is %v for n = %v, which type %s does not hold: write a whole number from %.0f to %.0f or another type", i, p.Value.text, v, values["n"], p.Type, least, most)
		}
		out = append(out, uint32(int64(v)))
		if types[p.Type] == 8 {
			out = append(out, uint32(int64(v)>>32))
		}
	}
	return out, nil
}

// grid is the work-groups for a share.
func (k *Kernel) grid(values map[string]float64) (out [3]uint32, err error) {
	for i, g := range k.Groups {
		out[i] = 1
		if g == nil {
			continue
		}
		n, err := g.size(values, math.MaxUint32)
		if err != nil {
			return out, g.at("groups[%d]: for n = %v, %w; write a number of work-groups from 1 on, such as ceil(n / local_x)", i, values["n"], err)
		}
		if n == 0 {
			return out, g.at("groups[%d]: %s is 0 for n = %v: a share needs at least one work-group, such as ceil(n / local_x)", i, g.text, values["n"])
		}
		out[i] = uint32(n)
	}
	return out, nil
}
