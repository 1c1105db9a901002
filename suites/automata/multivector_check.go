package automata

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/amgpu/amgpu/suites"
)

// cell is a multivector of Cl(3,0) in float64, bitmask order.
type cell [cellFloats]float64

func (c cell) norm() float64 {
	s := 0.0
	for _, x := range c {
		s += x * x
	}
	return math.Sqrt(s)
}

// grade keeps the components of one grade.
func (c cell) grade(g int) cell {
	for i := range c {
		if bits.OnesCount(uint(i)) != g {
			c[i] = 0
		}
	}
	return c
}

// sign of the product of two blades: minus for each pair of factors out of order.
func sign(a, b int) float64 {
	swaps := 0
	for a >>= 1; a > 0; a >>= 1 {
		swaps += bits.OnesCount(uint(a & b))
	}
	return float64(1 - 2*(swaps&1))
}

// times is a b, and the norm of the sums of the terms' magnitudes.
func (c cell) times(b cell) (product cell, size float64) {
	var sums cell
	for i, x := range c {
		for j, y := range b {
			product[i^j] += sign(i, j) * x * y
			sums[i^j] += math.Abs(x * y)
		}
	}
	return product, sums.norm()
}

// next is the cell after one step, the error allowed for each of its components, and
// whether a norm lies too close to the threshold to decide.
func (f field) next(own cell, around []cell) (out cell, bound float64, unsure bool) {
	theta, weight := float64(rules[f.rule].theta), float64(rules[f.rule].weight)
	above := func(x float64) bool {
		unsure = unsure || math.Abs(x-theta) < 1e-5
		return x > theta
	}
	size := own.norm()
	switch f.rule {
	case ruleLife:
		alive := 0
		for _, n := range around {
			if above(n.norm()) {
				alive++
			}
		}
		switch lives := above(size); {
		case lives && (alive == 2 || alive == 3):
			out = own
		case !lives && alive == 3:
			out = cell{1}
		}
		return out, 0, unsure
	case ruleRotor:
		out = own
		bound = size
		for _, n := range around {
			if b := n.grade(2); above(b.norm()) {
				for i := range out {
					out[i] += weight * b[i]
				}
				bound += weight * b.norm()
			}
		}
	case ruleConservative:
		squares := size * size
		for _, n := range around {
			squares += n.norm() * n.norm()
		}
		if size > 0 {
			for i := range out {
				out[i] = own[i] * weight * math.Sqrt(squares/9) / size
			}
		}
		bound = out.norm()
	case ruleGeometric:
		acc, spread := own, 1.0 // relative error of acc in units of 8 u
		for _, n := range around {
			if !above(n.norm()) {
				continue
			}
			p, terms := acc.times(n)
			l := p.norm()
			if l == 0 {
				continue
			}
			for i := range p {
				p[i] /= l
			}
			acc, spread = p, (spread+2)*terms/l
		}
		for i := range out {
			out[i] = (1-weight)*own[i] + weight*acc[i]
		}
		bound = size + out.norm() + weight*spread/8
	case ruleGrade:
		g := 3
		for k := 2; k >= 0; k-- {
			if above(own.grade(k).norm()) {
				g = k
			}
		}
		for _, n := range around {
			part := n.grade(g)
			for i := range out {
				out[i] += part[i]
			}
			bound += part.norm()
		}
	}
	return out, 64 * suites.U * bound, unsure
}

// Verify recomputes the last step of whole rows from the state before it, their energies,
// and the sum of all.
func (multivectors) Verify(c *suites.Check) (suites.Outcome, error) {
	f, err := fieldOf(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	in := &oneAtATime{out: c.Out}
	var skipped atomic.Int64
	tally, err := c.EachUnit("board", f.height, func(r int64, got []uint32, t *suites.Tally) {
		skipped.Add(f.row(in, r, got, t))
	})
	if err := errors.Join(err, in.err); err != nil {
		return suites.Outcome{}, err
	}
	if err := f.energy(c, &tally); err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E2", fmt.Sprintf("energy, equal on every device; %d cells at the threshold skipped", skipped.Load())), nil
}

// oneAtATime lets goroutines take turns at reading from devices; it keeps the first error.
type oneAtATime struct {
	sync.Mutex
	out suites.Reader
	err error
}

// words reads elements; zeros after an error.
func (o *oneAtATime) words(array string, first, n int64) []uint32 {
	o.Lock()
	defer o.Unlock()
	words, err := o.out.Words(array, first, n)
	if err != nil {
		o.err = cmp.Or(o.err, err)
		return make([]uint32, n)
	}
	return words
}

// row compares one row and its energy and returns how many of its cells were skipped.
func (f field) row(in *oneAtATime, r int64, got []uint32, t *suites.Tally) (skipped int64) {
	var rows [3][]cell
	for k := range rows {
		rows[k] = f.before(in, r+int64(k)-1)
	}
	want := 0.0
	for _, w := range got {
		x := float64(math.Float32frombits(w))
		want += x * x
	}
	t.Near("energies", r, in.words("energies", r, 1)[0], want, suites.E1(float64(f.width)/128+64, want))
	for col := range f.width {
		around := make([]cell, 0, 8)
		for k := range 9 {
			if k != 4 {
				around = append(around, f.at(rows[k/3], col+int64(k%3)-1))
			}
		}
		want, bound, unsure := f.next(rows[1][col], around)
		if unsure {
			skipped++
			continue
		}
		for i, x := range want {
			at := (r*f.width+col)*cellFloats + int64(i)
			t.Near("board", at, got[col*cellFloats+int64(i)], x, bound)
		}
	}
	return skipped
}

// before is a row of the state before the last step, -1 and the height those beyond the
// border; nil where they are zero.
func (f field) before(in *oneAtATime, r int64) []cell {
	switch {
	case r >= 0 && r < f.height:
	case f.border == borderPeriodic:
		r = (r + f.height) % f.height
	case f.border == borderReflecting:
		r = min(max(r, 0), f.height-1)
	default:
		return nil
	}
	row := make([]cell, f.width)
	for i, w := range in.words("other", r*f.width*cellFloats, f.width*cellFloats) {
		row[i/cellFloats][i%cellFloats] = float64(math.Float32frombits(w))
	}
	return row
}

// at is a cell of a row, one column beyond the border too.
func (f field) at(row []cell, col int64) cell {
	switch {
	case row == nil:
		return cell{}
	case col >= 0 && col < f.width:
	case f.border == borderPeriodic:
		col = (col + f.width) % f.width
	case f.border == borderReflecting:
		col = min(max(col, 0), f.width-1)
	default:
		return cell{}
	}
	return row[col]
}

// energy compares the sum over the energies of rows with the reference, on every device.
func (f field) energy(c *suites.Check, t *suites.Tally) error {
	words, err := c.Out.Words("energies", 0, f.height)
	if err != nil {
		return err
	}
	want := 0.0
	for _, w := range words {
		want += float64(math.Float32frombits(w))
	}
	first := uint32(0)
	for d := range c.Program.Shares {
		words, err := c.Out.LocalWords("energy", d, 0, 1)
		if err != nil {
			return err
		}
		if d == 0 {
			first = words[0]
			t.Near("energy", 0, first, want, suites.E1(float64(bits.Len64(uint64(f.height))), want))
		}
		t.Bits("energy", 0, words[0], first)
	}
	return nil
}
