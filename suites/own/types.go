package own

import (
	"fmt"
	"math"
	"slices"
)

// maxNesting bounds types of types: damaged modules may define circles.
const maxNesting = 16

// maxSize bounds the sizes of types in bytes.
const maxSize = 1 << 40

// look returns a defined id.
func (r *reader) look(n uint32) (*id, error) {
	if i := r.ids[n]; i != nil && i.op != 0 {
		return i, nil
	}
	return nil, bad("damaged SPIR-V: id %d is used but not defined", n)
}

// arg returns word k of a definition.
func (i *id) arg(k int) uint32 {
	if k < len(i.args) {
		return i.args[k]
	}
	return 0
}

// constant is the value of an integer constant, and its specialization id or -1.
func (r *reader) constant(n uint32) (uint32, int64, error) {
	c, err := r.look(n)
	if err != nil {
		return 0, -1, err
	}
	spec := int64(-1)
	if v, ok := c.dec[decSpecID]; ok {
		spec = int64(v)
	}
	if c.op != opConstant && c.op != opSpecConstant {
		return 0, -1, bad("a size in the module is computed from constants: only plain constants and specialization constants are understood")
	}
	return c.arg(0), spec, nil
}

// size is the size of a type in bytes, as laid out by its decorations or, without
// any (shared memory), tightly. A runtime array counts nothing.
func (r *reader) size(n uint32, depth int) (int64, error) {
	if depth > maxNesting {
		return 0, bad("damaged SPIR-V: types nested deeper than %d", maxNesting)
	}
	t, err := r.look(n)
	if err != nil {
		return 0, err
	}
	var total int64
	switch t.op {
	case opTypeBool:
		return 4, nil
	case opTypeInt, opTypeFloat:
		total = int64(t.arg(0)) / 8
	case opTypeVector, opTypeMatrix, opTypeArray:
		count := t.arg(1)
		if t.op == opTypeArray {
			if count, _, err = r.constant(count); err != nil {
				return 0, err
			}
		}
		each, err := r.size(t.arg(0), depth+1)
		if err != nil {
			return 0, err
		}
		if stride, ok := t.dec[decArrayStride]; ok {
			each = int64(stride)
		}
		if each > 0 && int64(count) > maxSize/each {
			return 0, bad("damaged SPIR-V: a type of more than %d bytes", int64(maxSize))
		}
		total = each * int64(count)
	case opTypeStruct:
		if len(t.args) > 1024 {
			return 0, bad("a structure of %d members", len(t.args))
		}
		for k, m := range t.args {
			each, err := r.size(m, depth+1)
			if err != nil {
				return 0, err
			}
			if d := t.members[uint32(k)]; d != nil {
				if at, ok := d.dec[decOffset]; ok {
					total = max(total, int64(at)+each)
					continue
				}
			}
			total += each
		}
	case opTypeRuntime:
		return 0, nil
	default:
		return 0, bad("a type of kind %d in a buffer or block", t.op)
	}
	if total > maxSize {
		return 0, bad("damaged SPIR-V: a type of more than %d bytes", int64(maxSize))
	}
	return total, nil
}

// scalar names a type of numbers and how many of them it has: f32 and 4 for a vec4;
// empty for anything else.
func (r *reader) scalar(n uint32, depth int) (string, int64) {
	t := r.ids[n]
	if t == nil || depth > maxNesting {
		return "", 0
	}
	switch t.op {
	case opTypeInt, opTypeFloat:
		kind := "f"
		if t.op == opTypeInt {
			kind = map[bool]string{true: "i", false: "u"}[t.arg(1) != 0]
		}
		name := fmt.Sprintf("%s%d", kind, t.arg(0))
		if _, ok := types[name]; ok {
			return name, 1
		}
	case opTypeVector:
		name, per := r.scalar(t.arg(0), depth+1)
		return name, per * int64(t.arg(1))
	}
	return "", 0
}

// pointee follows the pointer type of a variable.
func (r *reader) pointee(v *id) (uint32, *id, error) {
	p, err := r.look(v.typ)
	if err != nil {
		return 0, nil, err
	}
	if p.op != opTypePointer {
		return 0, nil, bad("damaged SPIR-V: a variable without pointer type")
	}
	t, err := r.look(p.arg(1))
	return p.arg(1), t, err
}

// fill turns what was read into a Module.
func (r *reader) fill(m *Module) error {
	var err error
	if m.Needs, err = needs(r.capabilities); err != nil {
		return err
	}
	for _, e := range r.entries {
		if e.name == "" {
			return bad("damaged SPIR-V: an entry point without a name")
		}
		size, err := r.groupSize(e.function)
		if err != nil {
			return err
		}
		m.Entries = append(m.Entries, Entry{e.name, size})
	}
	if len(m.Entries) == 0 {
		return bad("the module has no compute entry point: amgpu runs compute shaders")
	}
	for _, n := range r.variables {
		if err := r.variable(m, r.ids[n]); err != nil {
			return err
		}
	}
	slices.SortFunc(m.Buffers, func(a, b Buffer) int { return int(a.Binding) - int(b.Binding) })
	for k := 1; k < len(m.Buffers); k++ {
		if m.Buffers[k].Binding == m.Buffers[k-1].Binding {
			return bad("binding %d is used for two buffers: give each its own", m.Buffers[k].Binding)
		}
	}
	for _, n := range r.specs {
		c, err := r.look(n)
		if err != nil {
			return err
		}
		s := Spec{ID: c.dec[decSpecID], Name: c.name, Type: "bool", Default: c.arg(0)}
		switch c.op {
		case opSpecTrue:
			s.Default = 1
		case opSpecConstant:
			s.Type, _ = r.scalar(c.typ, 0)
		}
		if !slices.ContainsFunc(m.Spec, func(o Spec) bool { return o.ID == s.ID }) {
			m.Spec = append(m.Spec, s)
		}
	}
	slices.SortFunc(m.Spec, func(a, b Spec) int { return int(int64(a.ID) - int64(b.ID)) })
	return nil
}

// groupSize is the work-group size of an entry point: the constant decorated
// WorkgroupSize goes before the execution mode.
func (r *reader) groupSize(function uint32) (out [3]dim, err error) {
	parts, byID := r.modeIDs[function]
	if c := r.ids[r.sizeID]; r.sizeID != 0 && c != nil && len(c.args) == 3 {
		parts, byID = [3]uint32(c.args), true
	}
	if !byID {
		size, ok := r.modes[function]
		if !ok {
			return out, bad("an entry point without work-group size")
		}
		out = size
	}
	for k := range parts {
		if byID {
			if out[k].value, out[k].spec, err = r.constant(parts[k]); err != nil {
				return out, err
			}
		}
		if out[k].value == 0 || out[k].value > math.MaxInt32 {
			return out, bad("a work-group of %d invocations in dimension %d", out[k].value, k)
		}
	}
	return out, nil
}
