package own

import (
	"fmt"
	"math"
)

// scope gives values to the names of an expression.
type scope struct {
	values map[string]float64
	// real and whole give element i of a binding; nil where there are none.
	real  func(bind int, i int64) (float64, error)
	whole func(bind int, i int64) (int64, error)
	err   error // the first failure
}

func (s *scope) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// number evaluates in float64.
func (e *expr) number(s *scope) (float64, error) {
	s.err = nil
	v, _ := e.root.real(s)
	return v, s.err
}

// size evaluates to a whole number from 0 to most.
func (e *expr) size(values map[string]float64, most int64) (int64, error) {
	v, err := e.number(&scope{values: values})
	switch {
	case err != nil:
		return 0, err
	case math.IsInf(v, 0) || v != v:
		return 0, fmt.Errorf("%s is %v: it divides by zero or is too large", e.text, v)
	case v != math.Trunc(v):
		return 0, fmt.Errorf("%s is %v, not a whole number: use ceil(..) or floor(..)", e.text, v)
	case v < 0 || v > float64(most):
		return 0, fmt.Errorf("%s is %.17g: it must be 0 to %d", e.text, v, most)
	}
	return int64(v), nil
}

// real returns the value in float64 and its magnitude: the same expression over
// absolute values with every sum and difference a sum, the scale that rounding
// errors of float32 arithmetic are bounded by.
func (n *node) real(s *scope) (v, magnitude float64) {
	var a, b, ma, mb float64
	switch n.op {
	case "num":
		return n.value, math.Abs(n.value)
	case "name":
		v = s.values[n.name]
		return v, math.Abs(v)
	case "load":
		if s.real == nil {
			s.fail(fmt.Errorf("no elements here"))
			return 0, 0
		}
		v, err := s.real(n.bind, n.args[0].whole(s))
		if err != nil {
			s.fail(err)
		}
		return v, math.Abs(v)
	}
	a, ma = n.args[0].real(s)
	if len(n.args) == 2 {
		b, mb = n.args[1].real(s)
	}
	switch n.op {
	case "+":
		return a + b, ma + mb
	case "-":
		return a - b, ma + mb
	case "*":
		return a * b, ma * mb
	case "/":
		return a / b, ma / math.Abs(b)
	case "%":
		return a - b*math.Floor(a/b), ma
	case "neg":
		return -a, ma
	case "floor":
		return math.Floor(a), ma
	case "ceil":
		return math.Ceil(a), ma + 1
	}
	pick := math.Min
	if n.op == "max" {
		pick = math.Max
	}
	if len(n.args) == 2 { // each argument once: nested calls must not double the work
		return pick(a, b), math.Max(ma, mb)
	}
	for i := 1; i < len(n.args); i++ {
		b, mb = n.args[i].real(s)
		a, ma = pick(a, b), math.Max(ma, mb)
	}
	return a, ma
}

// whole returns the value in 64-bit arithmetic that wraps around, so its low 32
// bits are those of 32-bit arithmetic. % takes the sign of the divisor.
func (n *node) whole(s *scope) int64 {
	switch n.op {
	case "num":
		return int64(n.value)
	case "name":
		return int64(s.values[n.name])
	case "load":
		if s.whole == nil {
			s.fail(fmt.Errorf("no elements of whole numbers here"))
			return 0
		}
		v, err := s.whole(n.bind, n.args[0].whole(s))
		if err != nil {
			s.fail(err)
		}
		return v
	case "neg":
		return -n.args[0].whole(s)
	case "floor", "ceil":
		inner := &n.args[0]
		if inner.op != "/" {
			return inner.whole(s)
		}
		a, b := inner.args[0].whole(s), inner.args[1].whole(s)
		if n.op == "ceil" {
			return -s.floorDiv(-a, b)
		}
		return s.floorDiv(a, b)
	}
	a := n.args[0].whole(s)
	for i := 1; i < len(n.args); i++ {
		b := n.args[i].whole(s)
		switch n.op {
		case "+":
			a += b
		case "-":
			a -= b
		case "*":
			a *= b
		case "%":
			a -= b * s.floorDiv(a, b)
		case "min":
			a = min(a, b)
		case "max":
			a = max(a, b)
		}
	}
	return a
}

func (s *scope) floorDiv(a, b int64) int64 {
	if b == 0 {
		s.fail(fmt.Errorf("division by zero"))
		return 0
	}
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
