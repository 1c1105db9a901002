package own

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/internal/near"
)

// Bounds that keep a description from an unknown place harmless.
const (
	maxExprBytes = 1000
	maxExprDepth = 40
)

// expr is a parsed expression.
type expr struct {
	text string
	line int // of the description, 0: not from one
	root node
}

// node is one operation: a number, a name, an element of a binding, or an operator
// or function over arguments.
type node struct {
	op    string // "num", "name", "load", "+", "-", "*", "/", "%", "neg", "ceil", "floor", "min", "max"
	value float64
	name  string
	bind  int // load: number of the binding
	args  []node
}

// functions are the names that take arguments, with how many: least and most.
var functions = map[string][2]int{"ceil": {1, 1}, "floor": {1, 1}, "min": {2, 8}, "max": {2, 8}}

// parseExpr reads an expression: numbers, names, + - * / %, parentheses, ceil,
// floor, min, max and elements xB[index] of binding B.
func parseExpr(text string) (*expr, error) {
	if len(text) > maxExprBytes {
		return nil, fmt.Errorf("an expression of %d bytes, at most %d are read", len(text), maxExprBytes)
	}
	p := &parser{text: text}
	root, err := p.sum(0)
	if err == nil && p.peek() != 0 {
		err = fmt.Errorf("%q is left over", p.text[p.at:])
	}
	if err != nil {
		return nil, fmt.Errorf("expression %q: %w", text, err)
	}
	return &expr{text: text, root: root}, nil
}

type parser struct {
	text string
	at   int
}

// peek returns the next byte that is no blank, 0 at the end.
func (p *parser) peek() byte {
	for p.at < len(p.text) && strings.IndexByte(" \t\n\r", p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// take skips c if it comes next.
func (p *parser) take(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *parser) sum(depth int) (node, error) { return p.chain("+-", p.product, depth) }

func (p *parser) product(depth int) (node, error) { return p.chain("*/%", p.atom, depth) }

// chain reads operands of a higher level joined by left-associative operators.
func (p *parser) chain(operators string, operand func(int) (node, error), depth int) (node, error) {
	left, err := operand(depth)
	for height := depth; err == nil; {
		c := p.peek()
		if c == 0 || strings.IndexByte(operators, c) < 0 {
			return left, nil
		}
		p.at++
		// Every operator makes the tree higher, not only parentheses.
		if height++; height > maxExprBytes {
			return node{}, fmt.Errorf("too many operators")
		}
		var right node
		if right, err = operand(depth); err == nil {
			left = node{op: string(c), args: []node{left, right}}
		}
	}
	return node{}, err
}

func (p *parser) atom(depth int) (node, error) {
	if depth++; depth > maxExprDepth {
		return node{}, fmt.Errorf("nested deeper than %d", maxExprDepth)
	}
	c := p.peek()
	switch {
	case c == 0:
		return node{}, fmt.Errorf("it ends where a value is expected")
	case p.take('-'):
		arg, err := p.atom(depth)
		return node{op: "neg", args: []node{arg}}, err
	case p.take('('):
		inner, err := p.sum(depth)
		if err == nil && !p.take(')') {
			err = fmt.Errorf("a parenthesis is not closed")
		}
		return inner, err
	case digit(c) || c == '.':
		return p.number()
	case letter(c):
		return p.word(depth)
	}
	return node{}, fmt.Errorf("%q is not understood", p.text[p.at:])
}

func (p *parser) number() (node, error) {
	from := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		sign := (c == '+' || c == '-') && (p.text[p.at-1]|0x20) == 'e' && p.at > from
		if !digit(c) && c != '.' && c|0x20 != 'e' && !sign {
			break
		}
		p.at++
	}
	v, err := strconv.ParseFloat(p.text[from:p.at], 64)
	if err != nil || math.IsInf(v, 0) {
		return node{}, fmt.Errorf("%q is no number", p.text[from:p.at])
	}
	return node{op: "num", value: v}, nil
}

// word reads a name, a call or an element.
func (p *parser) word(depth int) (node, error) {
	from := p.at
	for p.at < len(p.text) && (letter(p.text[p.at]) || digit(p.text[p.at])) {
		p.at++
	}
	name := p.text[from:p.at]
	switch p.peek() {
	case '(':
		arity, ok := functions[name]
		if !ok {
			return node{}, fmt.Errorf("no function %q%s", name, near.HintOrAll(name, keys(functions)))
		}
		args, err := p.arguments(depth)
		if err != nil {
			return node{}, err
		}
		if len(args) < arity[0] || len(args) > arity[1] {
			return node{}, fmt.Errorf("%s of %d arguments, it takes %d to %d", name, len(args), arity[0], arity[1])
		}
		return node{op: name, args: args}, nil
	case '[':
		bind, err := strconv.Atoi(strings.TrimPrefix(name, "x"))
		if err != nil || !strings.HasPrefix(name, "x") || bind < 0 {
			return node{}, fmt.Errorf("%s[..]: elements are written x0[..] for binding 0", name)
		}
		p.at++
		index, err := p.sum(depth)
		if err == nil && !p.take(']') {
			err = fmt.Errorf("a bracket is not closed")
		}
		return node{op: "load", bind: bind, args: []node{index}}, err
	}
	return node{op: "name", name: name}, nil
}

func (p *parser) arguments(depth int) ([]node, error) {
	p.at++ // the parenthesis
	var args []node
	for {
		arg, err := p.sum(depth)
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
		if p.take(',') {
			continue
		}
		if !p.take(')') {
			return nil, fmt.Errorf("a parenthesis is not closed")
		}
		return args, nil
	}
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// names checks that every name is known and every element allowed. what says where
// the expression stands.
func (e *expr) names(known []string, loads func(bind int) error) error {
	return e.root.visit(func(n *node) error {
		switch {
		case n.op == "name" && !slices.Contains(known, n.name):
			return fmt.Errorf("expression %q: no value %q%s", e.text, n.name, near.HintOrAll(n.name, known))
		case n.op == "load" && loads == nil:
			return fmt.Errorf("expression %q: elements can only be used in `expect`", e.text)
		case n.op == "load":
			if err := loads(n.bind); err != nil {
				return fmt.Errorf("expression %q: %w", e.text, err)
			}
			return n.args[0].wholes(e.text)
		}
		return nil
	})
}

// uses says whether the expression names the value.
func (e *expr) uses(name string) bool {
	found := false
	_ = e.root.visit(func(n *node) error { // never fails
		found = found || n.op == "name" && n.name == name
		return nil
	})
	return found
}

// wholes checks that a tree can be worked out in whole numbers: no fractions, and
// division only inside floor or ceil.
func (n *node) wholes(text string) error {
	switch {
	case n.op == "num" && (n.value != math.Trunc(n.value) || math.Abs(n.value) > 1<<53):
		return fmt.Errorf("expression %q: %v is not a whole number", text, n.value)
	case n.op == "/":
		return fmt.Errorf("expression %q: whole numbers are divided with floor(a / b) or ceil(a / b)", text)
	}
	args := n.args
	if (n.op == "floor" || n.op == "ceil") && n.args[0].op == "/" {
		args = n.args[0].args
	}
	for i := range args {
		if n.op == "load" {
			break // its index is checked on its own
		}
		if err := args[i].wholes(text); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) visit(f func(*node) error) error {
	if err := f(n); err != nil {
		return err
	}
	for i := range n.args {
		if err := n.args[i].visit(f); err != nil {
			return err
		}
	}
	return nil
}
