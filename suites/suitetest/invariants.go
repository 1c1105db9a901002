package suitetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/shaders"
	"github.com/amgpu/amgpu/suites/program"
)

// headerWords precede the offsets in the push constants, pushWords bounds them all.
const headerWords, pushWords = 3, 32

// Invariants returns the first thing wrong with a program: shares that do not
// cover the axis, arrays of the wrong length, steps that name what does not
// exist, windows that leave what a device holds, push constants that are too long.
func Invariants(p *program.Program, count int) error {
	if len(p.Shares) != count {
		return fmt.Errorf("%d shares for %d devices", len(p.Shares), count)
	}
	var at int64
	for i, s := range p.Shares {
		if s.Lo != at || s.Hi < s.Lo {
			return fmt.Errorf("share %d is [%d,%d), expected it to start at %d", i, s.Lo, s.Hi, at)
		}
		at = s.Hi
	}
	if at != p.Units || p.Units <= 0 {
		return fmt.Errorf("shares end at %d of %d units", at, p.Units)
	}
	if p.Loads != nil && (len(p.Loads) != count || slices.Min(p.Loads) < 0 || slices.Max(p.Loads) == 0) {
		return fmt.Errorf("loads %v for %d devices", p.Loads, count)
	}
	names := map[string]bool{}
	for _, a := range p.Arrays {
		switch {
		case a.Name == "" || names[a.Name]:
			return fmt.Errorf("array %q is nameless or named twice", a.Name)
		case a.Units <= 0 || a.Stride <= 0:
			return fmt.Errorf("array %q has %d units of %d elements", a.Name, a.Units, a.Stride)
		case a.Layout == program.Split && a.Units != p.Units:
			return fmt.Errorf("divided array %q has %d units, the program %d", a.Name, a.Units, p.Units)
		case a.Halo != 0 && a.Layout != program.Split:
			return fmt.Errorf("array %q is not divided but has a halo", a.Name)
		}
		names[a.Name] = true
	}
	if !slices.ContainsFunc(p.Arrays, func(a program.Array) bool { return a.Output }) {
		return fmt.Errorf("no array is an output")
	}
	for _, k := range p.Kernels {
		if k.Module != nil {
			continue
		}
		if _, _, err := shaders.Load(k.Shader); err != nil {
			return err
		}
	}
	if p.Work <= 0 {
		return fmt.Errorf("work of %g", p.Work)
	}
	if err := steps(p, p.Setup, count); err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	return steps(p, p.Steps, count)
}

func steps(p *program.Program, list []program.Step, count int) error {
	for _, s := range list {
		var err error
		switch s := s.(type) {
		case program.Dispatch:
			err = dispatch(p, s, count)
		case program.Exchange:
			err = exchange(p, s)
		case program.AllGather:
			if err = layouts(p, s.Arrays, program.Replicated); err == nil {
				err = layouts(p, s.From, program.Split)
			}
			if err == nil && s.From != nil && len(s.From) != len(s.Arrays) {
				err = fmt.Errorf("all-gather of %d arrays from %d", len(s.Arrays), len(s.From))
			}
		case program.Broadcast:
			err = broadcast(p, s, count)
		case program.AllReduce:
			err = reduce(p, s)
		case program.ReduceScatter:
			err = scatter(p, s)
		case program.AllToAll:
			err = allToAll(p, s, count)
		case program.Send:
			err = send(p, s, count)
		case program.Overlap:
			if err = steps(p, []program.Step{s.Comm}, count); err == nil {
				for _, d := range s.Body {
					err = errors.Join(err, dispatch(p, d, count))
				}
			}
		case program.Repeat:
			if s.Times < 1 {
				err = fmt.Errorf("repeat %d times", s.Times)
			} else {
				err = steps(p, s.Body, count)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func layouts(p *program.Program, arrays []string, allowed ...program.Layout) error {
	for _, name := range arrays {
		a, ok := p.Array(name)
		if !ok || !slices.Contains(allowed, a.Layout) {
			return fmt.Errorf("array %q is missing or of a layout that does not fit the step", name)
		}
	}
	return nil
}

func broadcast(p *program.Program, s program.Broadcast, count int) error {
	if err := layouts(p, s.Arrays, program.Replicated, program.Local); err != nil {
		return err
	}
	if s.Root < 0 || s.Root >= count || s.Parts != nil && len(s.Parts) != len(s.Arrays) {
		return fmt.Errorf("broadcast from %d to %d devices, with parts of %d of %d arrays", s.Root, count, len(s.Parts), len(s.Arrays))
	}
	for i, parts := range s.Parts {
		name := s.Arrays[i]
		a, _ := p.Array(name)
		if len(parts) != count {
			return fmt.Errorf("broadcast of parts of %q to %d of %d devices", name, len(parts), count)
		}
		for _, part := range parts {
			if part.Lo < 0 || part.Hi < part.Lo || part.Hi > a.Units {
				return fmt.Errorf("broadcast of units [%d,%d) of %q, which has %d", part.Lo, part.Hi, name, a.Units)
			}
		}
	}
	return nil
}

func exchange(p *program.Program, s program.Exchange) error {
	if err := layouts(p, s.Arrays, program.Split); err != nil {
		return err
	}
	for _, name := range s.Arrays {
		a, _ := p.Array(name)
		depth := s.Depth
		if depth == 0 {
			depth = a.Halo
		}
		if depth < 1 || depth > a.Halo {
			return fmt.Errorf("exchange of depth %d over a halo of %d", depth, a.Halo)
		}
	}
	return nil
}

func reduce(p *program.Program, s program.AllReduce) error {
	from, ok := p.Array(s.Array)
	into, ok2 := p.Array(s.Into)
	if !ok || !ok2 {
		return fmt.Errorf("all-reduce of %q into %q: no such array", s.Array, s.Into)
	}
	if s.Order == program.ByRank {
		if from.Layout != program.Local || into.Layout != program.Local || from.Units*from.Stride != into.Units*into.Stride {
			return fmt.Errorf("all-reduce by rank of %q into %q: shapes do not fit", s.Array, s.Into)
		}
		return nil
	}
	if s.Double && (s.Op != program.Sum || from.Stride%2 != 0) {
		return fmt.Errorf("all-reduce of %q is no sum of pairs of words", s.Array)
	}
	if from.Layout != program.Split || into.Layout == program.Split || into.Stride != from.Stride || into.Units != 1 {
		return fmt.Errorf("all-reduce by chunk of %q into %q: shapes do not fit", s.Array, s.Into)
	}
	return nil
}

func scatter(p *program.Program, s program.ReduceScatter) error {
	from, ok := p.Array(s.Array)
	into, ok2 := p.Array(s.Into)
	if !ok || !ok2 || from.Layout != program.Local || into.Layout != program.Split || from.Units != p.Units || from.Stride != into.Stride {
		return fmt.Errorf("reduce-scatter of %q into %q: shapes do not fit", s.Array, s.Into)
	}
	return nil
}

func allToAll(p *program.Program, s program.AllToAll, count int) error {
	if err := layouts(p, []string{s.Array, s.Into}, program.Local); err != nil {
		return err
	}
	from, _ := p.Array(s.Array)
	into, _ := p.Array(s.Into)
	if s.Array == s.Into || from.Units != into.Units || from.Stride != into.Stride || from.Units%int64(count) != 0 {
		return fmt.Errorf("all-to-all of %q into %q on %d devices: shapes do not fit", s.Array, s.Into, count)
	}
	return nil
}

func send(p *program.Program, s program.Send, count int) error {
	if err := layouts(p, []string{s.Array, s.Into}, program.Local, program.Replicated); err != nil {
		return err
	}
	from, _ := p.Array(s.Array)
	into, _ := p.Array(s.Into)
	if s.Array == s.Into || from.Units*from.Stride != into.Units*into.Stride {
		return fmt.Errorf("send of %q to %q: shapes do not fit", s.Array, s.Into)
	}
	to := map[int]bool{}
	for _, x := range s.Pairs {
		if x.From < 0 || x.From >= count || x.To < 0 || x.To >= count || to[x.To] {
			return fmt.Errorf("send from %d to %d on %d devices, or twice to one", x.From, x.To, count)
		}
		to[x.To] = true
		if x.Units < 0 || x.Units > 0 && (from.Stride != into.Stride || x.At < 0 || x.Into < 0 || max(x.At, x.Into)+x.Units > from.Units) {
			return fmt.Errorf("send of units [%d,%d) of %q to unit %d of %q", x.At, x.At+x.Units, s.Array, x.Into, s.Into)
		}
	}
	return nil
}

func dispatch(p *program.Program, s program.Dispatch, count int) error {
	if _, ok := p.KernelByName(s.Kernel); !ok {
		return fmt.Errorf("step %s: no kernel %q", s.Label, s.Kernel)
	}
	if len(s.On) != count {
		return fmt.Errorf("step %s: %d launches for %d devices", s.Label, len(s.On), count)
	}
	for d, l := range s.On {
		if l.Units == 0 {
			continue
		}
		n := headerWords + len(s.Bind) + len(l.Push)
		if s.Own != nil {
			block, _ := s.Own(p.Shares[d].Lo+l.First, l.Units)
			n = len(block)
		}
		if n > pushWords {
			return fmt.Errorf("step %s: %d push words, at most %d", s.Label, n, pushWords)
		}
		if l.Units < 0 || l.Groups(l.Units) < 1 {
			return fmt.Errorf("step %s on device %d: %d units in %d groups", s.Label, d, l.Units, l.Groups(l.Units))
		}
		for _, b := range s.Bind {
			if err := window(p, b, l, p.Shares[d]); err != nil {
				return fmt.Errorf("step %s on device %d: %w", s.Label, d, err)
			}
		}
	}
	return nil
}

// window checks that a binding stays within what the device holds.
func window(p *program.Program, b program.Binding, l program.Launch, share program.Share) error {
	a, ok := p.Array(b.Array)
	if !ok {
		return fmt.Errorf("no array %q", b.Array)
	}
	held, base := a.Units, int64(0)
	switch a.Layout {
	case program.Split:
		held, base = share.Len()+2*a.Halo, a.Halo
		if share.Len() == 0 {
			held = 0
		}
	case program.Replicated:
		base = share.Lo
	}
	lo, hi := base+l.First-b.Before, base+l.First+l.Units+b.After
	switch b.Window {
	case program.Whole:
		lo, hi = 0, held
	case program.Fixed:
		lo, hi = b.First, b.First+b.Units
	}
	if lo < 0 || hi > held || lo >= hi {
		return fmt.Errorf("binding of %s shows units [%d,%d) of %d", b.Array, lo, hi, held)
	}
	return nil
}
