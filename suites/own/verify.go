package own

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// Verify compares every described output with its expected value.
func (w *Workload) Verify(c *suites.Check) (out suites.Outcome, err error) {
	if w.kernel.Unchecked {
		return suites.Outcome{Class: "D0", SelfCheck: "no expected output was described: only equality between counts is checked"}, nil
	}
	r := &reference{w: w, check: c, files: map[string][]byte{}}
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.open(); err != nil {
		return out, err
	}
	var all suites.Tally
	class := "E0"
	for i := range w.kernel.Bindings {
		b := &w.kernel.Bindings[i]
		if !b.checked() {
			continue
		}
		if b.Tolerance > 0 {
			class = "E1"
		}
		tally, err := r.compare(b)
		if err != nil {
			return out, fmt.Errorf("binding %d: %w", b.Number, err)
		}
		all.Add(tally)
	}
	return all.Outcome(class, ""), nil
}

// reference makes first contents and expected outputs.
type reference struct {
	w     *Workload
	check *suites.Check
	files map[string][]byte // mapped, by path
}

// open maps the files that the check needs.
func (r *reference) open() error {
	for _, b := range r.w.kernel.Bindings {
		for _, path := range []string{b.File, b.ExpectFile} {
			if path == "" || r.files[path] != nil {
				continue
			}
			data, err := mapFile(path)
			if err != nil {
				return err
			}
			r.files[path] = data
		}
	}
	return nil
}

func (r *reference) close() error {
	var errs []error
	for _, data := range r.files {
		errs = append(errs, unix.Munmap(data))
	}
	return errors.Join(errs...)
}

func mapFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	return data, nil
}

// compare judges one output binding.
func (r *reference) compare(b *Binding) (suites.Tally, error) {
	name := arrayName(b.Number)
	a, ok := r.check.Program.Array(name)
	if !ok {
		return suites.Tally{}, fmt.Errorf("the program has no array %s", name)
	}
	if b.ExpectFile != "" {
		if err := holds(b.ExpectFile, a.Units*a.Stride*wordBytes); err != nil {
			return suites.Tally{}, err
		}
	}
	scopes := sync.Pool{New: func() any { return r.scope() }}
	var mu sync.Mutex
	var failed error
	tally, err := r.check.EachUnit(name, a.Units, func(unit int64, got []uint32, t *suites.Tally) {
		s := scopes.Get().(*scope)
		defer scopes.Put(s)
		for j, word := range got {
			i := unit*a.Stride + int64(j)
			if b.ExpectFile != "" {
				want := binary.LittleEndian.Uint32(r.files[b.ExpectFile][i*wordBytes:])
				if v := float64(math.Float32frombits(want)); b.Tolerance > 0 {
					t.Near(name, i, word, v, b.Tolerance*suites.U*math.Abs(v))
				} else {
					t.Bits(name, i, word, want)
				}
				continue
			}
			if err := r.expected(b, s, i, word, t); err != nil {
				mu.Lock()
				failed = err
				mu.Unlock()
				return
			}
		}
	})
	if err == nil {
		err = failed
	}
	return tally, err
}

// expected compares one element with the expression. Element i lies in row i/width.
func (r *reference) expected(b *Binding, s *scope, i int64, got uint32, t *suites.Tally) error {
	width := r.w.kernel.Width
	s.err = nil
	s.values["i"], s.values["row"], s.values["col"] = float64(i), float64(i/width), float64(i%width)
	name := arrayName(b.Number)
	if !b.float() {
		t.Bits(name, i, got, uint32(b.Expect.root.whole(s)))
		return s.err
	}
	v, magnitude := b.Expect.root.real(s)
	if b.Tolerance == 0 {
		t.Float(name, i, got, float32(v))
	} else {
		t.Near(name, i, got, v, b.Tolerance*suites.U*magnitude)
	}
	return s.err
}

// scope gives the values of an expected output, apart from the element's own.
func (r *reference) scope() *scope {
	k := r.w.kernel
	s := &scope{values: k.constants(r.w.entry.GroupSize(r.w.spec))}
	s.values["total"] = float64(r.check.Program.Units)
	for _, p := range k.Push {
		if p.Name == "" || p.Value.uses("n") || p.Value.uses("first") {
			continue
		}
		v, err := p.Value.number(&scope{values: s.values})
		s.fail(err)
		if p.Type == "f32" {
			v = float64(float32(v))
		}
		s.values[p.Name] = v
	}
	s.real = func(n int, i int64) (float64, error) {
		word, err := r.first(n, i)
		switch k.binding(n).Type {
		case "f32":
			return float64(math.Float32frombits(word)), err
		case "i32":
			return float64(int32(word)), err
		}
		return float64(word), err
	}
	s.whole = func(n int, i int64) (int64, error) {
		word, err := r.first(n, i)
		switch k.binding(n).Type {
		case "f32":
			return 0, fmt.Errorf("x%d[..]: floats cannot be an index", n)
		case "i32":
			return int64(int32(word)), err
		}
		return int64(word), err
	}
	return s
}

// first is element i of a binding's first contents. Beyond the ends of a divided
// binding lies its other end (wrap), zeros (halo), or nothing.
func (r *reference) first(n int, i int64) (uint32, error) {
	a, ok := r.check.Program.Array(arrayName(n))
	if !ok || a.Layout == program.Local {
		return 0, fmt.Errorf("x%d[..]: every device has contents of its own there: use a binding whose count is a multiple of n, or does not depend on it", n)
	}
	total := a.Units * a.Stride
	if i < 0 || i >= total {
		switch {
		case a.Halo > 0 && a.Wrap:
			i = ((i % total) + total) % total
		case a.Halo > 0:
			return 0, nil
		default:
			return 0, fmt.Errorf("x%d[%d] lies outside its %d elements: write an index that stays inside for every i, such as x%d[min(i + 1, %d)]", n, i, total, n, total-1)
		}
	}
	src := a.Source
	stream := suites.Stream{Seed: r.check.Build.Seed, Workload: number, Array: src.ID}
	switch src.Kind {
	case program.PhiloxF32:
		return math.Float32bits(stream.F32(i, src.A, src.B)), nil
	case program.PhiloxRaw:
		return stream.Word(i), nil
	case program.PhiloxMod:
		return stream.Word(i) % src.Mod, nil
	case program.Iota:
		if a.Elem == program.F32 {
			return math.Float32bits(float32(uint32(i))), nil
		}
		return uint32(i), nil
	case program.Const:
		return src.Word, nil
	case program.File:
		return binary.LittleEndian.Uint32(r.files[src.Path][i*wordBytes:]), nil
	case program.Zero:
		return 0, nil
	}
	return 0, fmt.Errorf("x%d[..] has undefined first contents", n)
}
