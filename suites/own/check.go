package own

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/amgpu/amgpu/internal/near"
)

// check looks at the description as a whole.
func (k *Kernel) check() error {
	switch {
	case k.Sizes.S == 0:
		return errors.New("n is missing: the units of work, such as n: {S: 1048576, M: 67108864}")
	case k.Groups[0] == nil:
		return errors.New("groups is missing: the work-groups, such as groups: [ceil(n / 256), 1, 1]")
	case len(k.Bindings) == 0:
		return errors.New("bindings is missing: a kernel without buffers leaves nothing to check")
	case k.Width != 1 && !k.Rows:
		return errors.New("width belongs to divide: rows")
	}
	names := k.sizeNames()
	for i := range k.Spec {
		s := &k.Spec[i]
		if slices.ContainsFunc(k.Spec[:i], func(o SpecValue) bool { return o.ID == s.ID || o.Name != "" && o.Name == s.Name }) {
			return fmt.Errorf("spec: constant %d is set twice or shares its name", s.ID)
		}
		if s.Type != "f32" && (s.Value != math.Trunc(s.Value) || s.Value < math.MinInt32 || s.Value > math.MaxUint32) {
			return fmt.Errorf("spec: constant %d of type %s cannot be %v", s.ID, s.Type, s.Value)
		}
	}
	for i, g := range k.Groups {
		if g == nil {
			continue
		}
		if err := g.names(names, nil); err != nil {
			return fmt.Errorf("groups[%d]: %w", i, err)
		}
	}
	for i, p := range k.Push {
		if err := p.Value.names(names, nil); err != nil {
			return fmt.Errorf("push[%d]: %w", i, err)
		}
		if p.Name != "" && (slices.Contains(append(names, "i", "row", "col"), p.Name) ||
			slices.ContainsFunc(k.Push[:i], func(o Push) bool { return o.Name == p.Name })) {
			return fmt.Errorf("push[%d]: the name %s is taken", i, p.Name)
		}
	}
	for _, work := range []*expr{k.Flops, k.Bytes} {
		if work == nil {
			continue
		}
		if err := work.names(append(keys(k.constants([3]uint32{})), "total"), nil); err != nil {
			return fmt.Errorf("flops and bytes: %w", err)
		}
	}
	checked := false
	for i := range k.Bindings {
		b := &k.Bindings[i]
		if slices.ContainsFunc(k.Bindings[:i], func(o Binding) bool { return o.Number == b.Number }) {
			return fmt.Errorf("binding %d is described twice", b.Number)
		}
		if err := k.checkBinding(b); err != nil {
			return fmt.Errorf("binding %d: %w", b.Number, err)
		}
		checked = checked || b.checked()
	}
	slices.SortFunc(k.Bindings, func(a, b Binding) int { return a.Number - b.Number })
	switch {
	case checked && k.Unchecked:
		return errors.New("unchecked: true contradicts the expected output given")
	case !checked && !k.Unchecked:
		return errors.New("no binding has `expect` or `expect_file`: say what the kernel must compute, or unchecked: true to compare only between counts")
	}
	return nil
}

// words says whether an element is one word, so that amgpu can compute with it.
func (b *Binding) words() bool { return types[b.Type] == 4 }

func (k *Kernel) checkBinding(b *Binding) error {
	switch {
	case b.Number < 0:
		return errors.New("its number is missing: binding: 0")
	case b.Type == "":
		return fmt.Errorf("type is missing%s", near.HintOrAll("", keys(types)))
	case b.Count == nil:
		return errors.New("count is missing: the elements on a device with n units, such as count: n")
	}
	if err := b.Count.names(k.sizeNames(), nil); err != nil {
		return fmt.Errorf("count: %w", err)
	}
	if b.Count.uses("first") {
		return errors.New("count depends on first: a buffer's size cannot depend on where its share lies")
	}
	if err := b.checkFill(); err != nil {
		return err
	}
	return k.checkExpect(b)
}

func (b *Binding) checkFill() error {
	switch {
	case (b.File != "") != (b.Fill == "file"):
		return errors.New("fill: file and file: PATH belong together")
	case b.Fill == "constant" && !b.valued:
		return errors.New("fill: constant needs its value, such as value: 1")
	case b.valued && b.Fill != "constant":
		return errors.New("value belongs to fill: constant")
	case (b.Low != 0 || b.High != 1) && (b.Fill != "philox" || b.Type != "f32"):
		return errors.New("range belongs to fill: philox of type f32")
	case math.IsInf(float64(float32(b.Low)), 0) || math.IsInf(float64(float32(b.High)), 0) || math.IsInf(float64(float32(b.High)-float32(b.Low)), 0):
		return fmt.Errorf("range [%v, %v] does not fit type f32: its ends and their difference must be below 3.4e38", b.Low, b.High)
	case b.Mod != 0 && (b.Fill != "philox" || b.Type != "u32" && b.Type != "i32"):
		return errors.New("mod belongs to fill: philox of types u32 and i32")
	case b.Fill == "philox" && b.float() && b.Type != "f32", (b.Fill == "iota" || b.Fill == "constant") && !b.words():
		return fmt.Errorf("fill: %s of type %s is not possible: use zero or file", b.Fill, b.Type)
	case b.Fill == "constant" && !b.float() && (b.Value != math.Trunc(b.Value) || b.Value < math.MinInt32 || b.Value > math.MaxUint32):
		return fmt.Errorf("value %v does not fit type %s", b.Value, b.Type)
	case b.Fill == "constant" && b.float() && math.IsInf(float64(float32(b.Value)), 0):
		return fmt.Errorf("value %v does not fit type %s", b.Value, b.Type)
	}
	return nil
}

func (k *Kernel) checkExpect(b *Binding) error {
	if b.Expect != nil && b.ExpectFile != "" {
		return errors.New("expect and expect_file say the same: give one of them")
	}
	exact := !b.float() || !b.words()
	switch {
	case b.Tolerance > 0 && exact:
		return fmt.Errorf("tolerance: type %s is compared exactly", b.Type)
	case b.Tolerance >= 0 && !b.checked():
		return errors.New("tolerance without expect")
	case b.Tolerance < 0 && exact:
		b.Tolerance = 0
	case b.Tolerance < 0:
		b.Tolerance = defaultTolerance
	}
	if b.Expect == nil {
		return nil
	}
	if !b.words() {
		return fmt.Errorf("expect as an expression needs a type of 32 bits, for %s give expect_file", b.Type)
	}
	names := append(keys(k.constants([3]uint32{})), "i", "row", "col", "total")
	for _, p := range k.Push {
		if p.Name != "" && !p.Value.uses("n") && !p.Value.uses("first") {
			names = append(names, p.Name)
		}
	}
	if err := b.Expect.names(names, func(n int) error { return k.loadable(b, n) }); err != nil {
		if b.Expect.uses("n") || b.Expect.uses("first") {
			return fmt.Errorf("expect: %w (n and first differ between counts, the output must not: use total)", err)
		}
		return fmt.Errorf("expect: %w", err)
	}
	if !b.float() {
		if err := b.Expect.root.wholes(b.Expect.text); err != nil {
			return fmt.Errorf("expect: %w", err)
		}
	}
	return nil
}

// loadable says whether the expected output of b may use elements of binding n:
// their first contents.
func (k *Kernel) loadable(b *Binding, n int) error {
	from := k.binding(n)
	switch {
	case from == nil:
		return fmt.Errorf("x%d: there is no binding %d", n, n)
	case from.Fill == "":
		return fmt.Errorf("x%d: binding %d has no `fill`, so its first contents are undefined", n, n)
	case !from.words():
		return fmt.Errorf("x%d: elements of type %s are not understood", n, from.Type)
	case !b.float() && from.float():
		return fmt.Errorf("x%d: an output of type %s is made of whole numbers, binding %d has floats", n, b.Type, n)
	}
	return nil
}

// defaultTolerance is enough for a few roundings.
const defaultTolerance = 4
