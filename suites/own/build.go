package own

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/input"
	"github.com/amgpu/amgpu/suites/program"
)

const wordBytes = 4

// arrayName is the name of a binding's array in messages and checks.
func arrayName(binding int) string { return fmt.Sprintf("x%d", binding) }

// Build makes the program: the halo exchange, where there is one, and one launch.
func (w *Workload) Build(b suites.Build) (*program.Program, error) {
	k := w.kernel
	if b.Size < 1 || b.Size > maxTotal/max(k.Width, 1)/8 {
		return nil, fmt.Errorf("size %d: choose from 1 to %d units", b.Size, int64(maxTotal)/max(k.Width, 1)/8)
	}
	if b.Size%k.Multiple != 0 {
		return nil, fmt.Errorf("size %d is no multiple of %d (`multiple` of the description): choose %d", b.Size, k.Multiple, (b.Size+k.Multiple-1)/k.Multiple*k.Multiple)
	}
	granule := k.Multiple
	if !k.Rows && k.Halo == 0 { // shares that end at 256 bytes and more
		granule = lcm(granule, 64)
	}
	p := &program.Program{Units: b.Size, Shares: b.Divide(b.Size, granule)}
	if len(p.Shares) == 0 {
		return nil, fmt.Errorf("size %d does not divide over %d devices in multiples of %d", b.Size, b.Count, granule)
	}
	if err := k.haloFits(p.Shares); err != nil {
		return nil, err
	}
	values := k.constants(w.entry.GroupSize(w.spec))
	values["total"] = float64(b.Size)
	step := program.Dispatch{Label: "kernel", Kernel: "own", Align: k.Multiple}
	whole := false // whether a share must run in one launch
	var halos []string
	for n := 0; n <= k.Bindings[len(k.Bindings)-1].Number; n++ {
		bind := k.binding(n)
		if bind == nil { // a gap between binding numbers still needs something bound
			p.Arrays = append(p.Arrays, program.Array{Name: arrayName(n), Elem: program.U32, Layout: program.Local, Units: 1, Stride: 1, Source: program.Source{Kind: program.Zero}})
			step.Bind = append(step.Bind, program.Binding{Array: arrayName(n), Window: program.Whole})
			continue
		}
		s, err := w.shapeOf(bind, values)
		if err != nil {
			return nil, err
		}
		a, window, err := w.place(bind, s, p, values)
		if err != nil {
			return nil, fmt.Errorf("line %d: binding %d: %w", bind.line, n, err)
		}
		switch {
		case s.form == private, s.form == shared && bind.written(), s.form == fringed && bind.written():
			whole = true
		case s.form != shared:
			step.Align = lcm(step.Align, program.OffsetAlign/gcd(a.Stride*wordBytes, program.OffsetAlign))
		}
		if s.form == fringed && bind.Access != "write" {
			halos = append(halos, a.Name)
		}
		p.Evolves = p.Evolves || bind.Access == "read_write"
		p.Arrays = append(p.Arrays, a)
		step.Bind = append(step.Bind, window)
	}
	if whole {
		step.Align = p.Units
	}
	for i := range p.Arrays {
		if p.Arrays[i].Layout == program.Split {
			p.Arrays[i].CutAt = step.Align
		}
	}
	if err := w.launches(p, &step, values); err != nil {
		return nil, err
	}
	p.Kernels = []program.Kernel{{Name: "own", Shader: "own/" + k.Name, Spec: w.spec, Needs: w.module.Needs, Module: &program.Module{
		Words: w.module.Words, Hash: w.module.Hash, Entry: k.Entry,
		GroupSize: w.entry.GroupSize(w.spec), Shared: w.module.Shared,
	}}}
	if len(halos) > 0 {
		p.Steps = append(p.Steps, program.Exchange{Arrays: halos})
	}
	p.Steps = append(p.Steps, step)
	return p, w.work(p, values)
}

// place makes a binding's array and the window that the kernel sees.
func (w *Workload) place(b *Binding, s shape, p *program.Program, values map[string]float64) (program.Array, program.Binding, error) {
	access := accesses[b.Access]
	a := program.Array{Name: arrayName(b.Number), Elem: program.U32, Units: p.Units, Stride: s.words}
	if b.Type == "f32" {
		a.Elem = program.F32
	}
	window := program.Binding{Array: a.Name, Access: access}
	switch s.form {
	case divided, fringed:
		a.Output = b.written()
		if s.form == fringed {
			a.Halo, a.Wrap = w.kernel.Halo, w.kernel.Wrap
			window.Before, window.After = a.Halo, a.Halo
		}
	case shared:
		a.Layout, a.Units, a.Stride, window.Window = program.Replicated, 1, s.words, program.Whole
		if b.written() {
			a.Layout = program.Local
		}
	case private:
		a.Layout, a.Stride, window.Window = program.Local, 1, program.Whole
		a.Units = 1
		for _, share := range p.Shares {
			if share.Len() == 0 {
				continue
			}
			values["n"] = float64(share.Len())
			n, err := b.Count.size(values, maxTotal)
			if err != nil {
				return a, window, fmt.Errorf("count: %w", err)
			}
			a.Units = max(a.Units, (n*types[b.Type]+wordBytes-1)/wordBytes)
		}
	}
	if a.Units > maxTotal/a.Stride {
		return a, window, fmt.Errorf("%d units of %d words are more than any device holds: choose a smaller --size", a.Units, a.Stride)
	}
	if b.checked() && s.form != divided && s.form != fringed {
		return a, window, fmt.Errorf("expected output needs a count that is a multiple of n (or of n + 2 * halo), %q is not: what each device holds of it depends on how many there are", b.Count.text)
	}
	if a.Units*a.Stride > 1<<32 && s.form == shared {
		return a, window, fmt.Errorf("%d words on every device: divide it by n, or choose a smaller --size", a.Units*a.Stride)
	}
	var err error
	a.Source, err = b.source(a)
	return a, window, err
}

// source is a binding's first contents.
func (b *Binding) source(a program.Array) (program.Source, error) {
	src := program.Source{ID: uint32(b.Number)}
	switch b.Fill {
	case "zero":
		src.Kind = program.Zero
	case "iota":
		src.Kind = program.Iota
	case "constant":
		src.Kind, src.Word = program.Const, word(b.Type, b.Value)
	case "file":
		src.Kind, src.Path = program.File, b.File
		if err := holds(b.File, a.Units*a.Stride*wordBytes); err != nil {
			return src, err
		}
	case "philox":
		switch {
		case b.float():
			src = program.Random(src.ID, float32(b.Low), float32(b.High))
		case b.Mod > 0:
			src.Kind, src.Mod = program.PhiloxMod, b.Mod
		default:
			src.Kind = program.PhiloxRaw
		}
	}
	return src, nil
}

// holds checks that a file has the bytes of an array.
func holds(path string, bytes int64) error {
	f, err := input.Plain(path, "a file of little-endian words")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	var head [8]byte
	if n, err := f.ReadAt(head[:], 0); err == nil && input.KindOf(head[:n]) == input.Npy {
		return fmt.Errorf("%s is %s: give the numbers alone (numpy.ndarray.tofile)", path, input.Npy)
	}
	if f.Size < bytes {
		return fmt.Errorf("%s has %d bytes, the binding needs %d: give a longer file or a smaller --size", path, f.Size, bytes)
	}
	return nil
}

// launches gives every device its share and checks push values and grids for all
// shares, so that later parts of them cannot fail.
func (w *Workload) launches(p *program.Program, step *program.Dispatch, values map[string]float64) error {
	k := w.kernel
	for _, s := range p.Shares {
		step.On = append(step.On, program.Launch{Units: s.Len()})
		if s.Len() == 0 {
			continue
		}
		values["n"], values["first"] = float64(s.Len()), float64(s.Lo)
		if _, err := k.push(values); err != nil {
			return err
		}
		if _, err := k.grid(values); err != nil {
			return err
		}
	}
	base := map[string]float64{}
	for name, v := range values {
		base[name] = v
	}
	step.Own = func(first, units int64) ([]uint32, [3]uint32) {
		at := make(map[string]float64, len(base))
		for name, v := range base {
			at[name] = v
		}
		at["n"], at["first"] = float64(units), float64(first)
		push, err := k.push(at)
		groups, err2 := k.grid(at)
		if err != nil || err2 != nil { // an expression that fails between values that work
			groups = [3]uint32{math.MaxUint32, math.MaxUint32, math.MaxUint32}
		}
		return push, groups
	}
	return nil
}

// work fills in the nominal work of one run.
func (w *Workload) work(p *program.Program, values map[string]float64) error {
	for _, e := range []struct {
		name string
		from *expr
		to   *float64
	}{{"flops", w.kernel.Flops, &p.Flops}, {"bytes", w.kernel.Bytes, &p.Bytes}} {
		if e.from == nil {
			continue
		}
		per, err := e.from.number(&scope{values: values})
		const most = 1e15
		if err != nil || !(per > 0) || per > most {
			return e.from.at("%s: %s per unit is %v: write a number above 0 and up to %.0e, or leave %s out", e.name, e.from.text, per, most, e.name)
		}
		*e.to = per * float64(p.Units)
	}
	switch w.workUnit() {
	case "flop":
		p.Work = p.Flops
	case "B":
		p.Work = p.Bytes
	default:
		p.Work = float64(p.Units)
	}
	return nil
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func lcm(a, b int64) int64 { return a / gcd(a, b) * b }
