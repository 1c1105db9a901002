package own

import (
	"errors"
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// at is an error about an expression, with its line in the description.
func (e *expr) at(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if e.line == 0 {
		return err
	}
	return fmt.Errorf("line %d: %w", e.line, err)
}

// Try builds the program of one request and works out expected outputs at some
// elements, so that a description that can be read but not used is known before
// anything is measured. Errors wrap ErrInput and name the line and the field.
func (w *Workload) Try(b suites.Build) error {
	p, err := w.Build(b)
	if err == nil {
		err = w.tryExpected(b, p)
	}
	if err == nil {
		return nil
	}
	if w.kernel.path == "" {
		return fmt.Errorf("%w: %w", ErrInput, err)
	}
	return fmt.Errorf("%w: %w (%s)", ErrInput, err, w.kernel.path)
}

// tryExpected looks at every expected output where its index is extreme: both ends of
// the buffer and of some rows, and a thousand elements between them.
func (w *Workload) tryExpected(b suites.Build, p *program.Program) (err error) {
	r := &reference{w: w, check: &suites.Check{Build: b, Program: p}, files: map[string][]byte{}}
	defer func() { err = errors.Join(err, r.close()) }()
	for i := range w.kernel.Bindings {
		b := &w.kernel.Bindings[i]
		a, ok := p.Array(arrayName(b.Number))
		if b.ExpectFile == "" || !ok {
			continue
		}
		if err := holds(b.ExpectFile, a.Units*a.Stride*wordBytes); err != nil {
			return fmt.Errorf("line %d: binding %d: expect_file: %w", b.line, b.Number, err)
		}
	}
	if err := r.open(); err != nil {
		return err
	}
	for i := range w.kernel.Bindings {
		b := &w.kernel.Bindings[i]
		a, ok := p.Array(arrayName(b.Number))
		if b.Expect == nil || !ok {
			continue
		}
		if err := r.try(b, a.Units*a.Stride); err != nil {
			return err
		}
	}
	return nil
}

func (r *reference) try(b *Binding, total int64) error {
	s, width := r.scope(), r.w.kernel.Width
	if s.err != nil {
		return s.err
	}
	const between = 1000
	ends := min(total, 2*width+between)
	try := func(i int64) error {
		v, err := r.value(b, s, i)
		switch {
		case err != nil:
			return b.Expect.at("binding %d: expect at i = %d of %d: %w", b.Number, i, total, err)
		case b.Tolerance > 0 && (math.IsInf(v, 0) || v != v):
			return b.Expect.at("binding %d: expect at i = %d of %d is %v: write an expression with finite values", b.Number, i, total, v)
		}
		return nil
	}
	for k := range ends {
		for _, i := range []int64{k, total - 1 - k} {
			if err := try(i); err != nil {
				return err
			}
		}
	}
	for k := int64(1); k < between; k++ {
		if err := try(total / between * k); err != nil {
			return err
		}
	}
	return nil
}

// value is the expected output at element i, which lies in row i/width; of whole
// numbers as 0 (only whether it can be worked out matters).
func (r *reference) value(b *Binding, s *scope, i int64) (float64, error) {
	width := r.w.kernel.Width
	s.err = nil
	s.values["i"], s.values["row"], s.values["col"] = float64(i), float64(i/width), float64(i%width)
	if !b.float() {
		b.Expect.root.whole(s)
		return 0, s.err
	}
	v, _ := b.Expect.root.real(s)
	return v, s.err
}
