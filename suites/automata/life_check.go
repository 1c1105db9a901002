package automata

import (
	"github.com/amgpu/amgpu/suites"
)

// evolve is the reference: steps of Life on a torus of height rows, packed as on
// the device.
func evolve(cells []uint32, height, words, steps int64) []uint32 {
	cur := append([]uint32(nil), cells...)
	next := make([]uint32, len(cur))
	row := func(i int64) []uint32 {
		i = (i + height) % height
		return cur[i*words : (i+1)*words]
	}
	for range steps {
		suites.Spread(height, func(lo, hi int64, _ *suites.Tally) {
			for i := lo; i < hi; i++ {
				stepRow(next[i*words:(i+1)*words], row(i-1), row(i), row(i+1))
			}
		})
		cur, next = next, cur
	}
	return cur
}

// stepRow makes one row of the next board from three rows. The row's ends are
// neighbours. Eight neighbours are counted bit by bit in a three-bit saturating
// counter, unlike the kernel's carry-save sum of nine.
func stepRow(out, up, mid, down []uint32) {
	n := len(mid)
	for j := range n {
		l, r := j-1, j+1
		if l < 0 {
			l = n - 1
		}
		if r == n {
			r = 0
		}
		var c0, c1, c2 uint32 // the count modulo 4, and whether it ever reached 4
		add := func(x uint32) {
			carry := c0 & x
			c0 ^= x
			c2 |= c1 & carry
			c1 ^= carry
		}
		for _, v := range [3][]uint32{up, mid, down} {
			add(v[j]<<1 | v[l]>>(wordBits-1))
			add(v[j]>>1 | v[r]<<(wordBits-1))
		}
		add(up[j])
		add(down[j])
		out[j] = c1 &^ c2 & (c0 | mid[j]) // three neighbours, or two and alive
	}
}

// patch is a rectangle of output words.
type patch struct{ row, rows, col, cols int64 }

// cone evolves the part of the board on which a patch depends (one row and one
// cell a step) and returns the patch, row-major. The initial board is read as
// periodic, which is what a torus is.
func (p patch) cone(initial func(i int64) uint32, bd board) []uint32 {
	side := (bd.steps + wordBits - 1) / wordBits // words of margin
	height, words := p.rows+2*bd.steps, p.cols+2*side
	cur := make([]uint32, height*words)
	for i := range height {
		r := mod(p.row-bd.steps+i, bd.height)
		for j := range words {
			cur[i*words+j] = initial(r*bd.words + mod(p.col-side+j, bd.words))
		}
	}
	next := make([]uint32, len(cur))
	for s := int64(1); s <= bd.steps; s++ {
		// Rows s..height-s are still right; the wrong ends of a row move in by one
		// cell a step and never reach the patch.
		for i := s; i < height-s; i++ {
			stepRow(next[i*words:(i+1)*words], cur[(i-1)*words:i*words], cur[i*words:(i+1)*words], cur[(i+1)*words:(i+2)*words])
		}
		cur, next = next, cur
	}
	out := make([]uint32, 0, p.rows*p.cols)
	for i := bd.steps; i < bd.steps+p.rows; i++ {
		out = append(out, cur[i*words+side:i*words+side+p.cols]...)
	}
	return out
}

func mod(a, n int64) int64 { return ((a % n) + n) % n }

// Patches of a sampled check: patchRows x patchCols words each, at every border
// between shares and at Philox-chosen places.
const (
	patchRows, patchCols = 16, 8
	patches              = 8
)

func choose(c *suites.Check, number uint32, bd board) []patch {
	rows, cols := min(patchRows, bd.height), min(patchCols, bd.words)
	at := suites.SampleIndices(c.Build.Seed, number, 0, bd.height*bd.words, patches)
	for _, s := range c.Program.Shares {
		if s.Len() > 0 {
			at = append(at, mod(s.Lo-rows/2, bd.height)*bd.words)
		}
	}
	var out []patch
	for _, i := range at {
		// Both sides of a border, also of the one where the board wraps.
		p := patch{row: i / bd.words, rows: rows, col: min(i%bd.words, bd.words-cols), cols: cols}
		if over := p.row + rows - bd.height; over > 0 {
			out = append(out, patch{row: 0, rows: over, col: p.col, cols: cols})
			p.rows -= over
		}
		out = append(out, p)
	}
	return out
}

// Verify evolves the whole board when the check is full or cheap, else patches
// through their backward light cones.
func (w life) Verify(c *suites.Check) (suites.Outcome, error) {
	bd, err := boardOf(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	number := w.Info().Number
	initial, _, err := start(c.Build, bd)
	if err != nil {
		return suites.Outcome{}, err
	}
	const cheap = 1 << 24 // word steps
	if c.Full || bd.height*bd.words*bd.steps <= cheap {
		return whole(c, initial, bd)
	}
	var all suites.Tally
	chosen := choose(c, number, bd)
	want := make([][]uint32, len(chosen))
	suites.Spread(int64(len(chosen)), func(lo, hi int64, _ *suites.Tally) {
		for i := lo; i < hi; i++ {
			want[i] = chosen[i].cone(initial, bd)
		}
	})
	for n, p := range chosen {
		for i := range p.rows {
			first := (p.row+i)*bd.words + p.col
			got, err := c.Out.Words("board", first, p.cols)
			if err != nil {
				return suites.Outcome{}, err
			}
			for j, g := range got {
				all.Bits("board", first+int64(j), g, want[n][i*p.cols+int64(j)])
			}
		}
	}
	return all.Outcome("E0", "patches at every border between shares recomputed from their light cones"), nil
}

func whole(c *suites.Check, initial func(i int64) uint32, bd board) (suites.Outcome, error) {
	cells := make([]uint32, bd.height*bd.words)
	suites.Spread(int64(len(cells)), func(lo, hi int64, _ *suites.Tally) {
		for i := lo; i < hi; i++ {
			cells[i] = initial(i)
		}
	})
	want := evolve(cells, bd.height, bd.words, bd.steps)
	var all suites.Tally
	for at := int64(0); at < int64(len(want)); at += 1 << 22 {
		n := min(1<<22, int64(len(want))-at)
		got, err := c.Out.Words("board", at, n)
		if err != nil {
			return suites.Outcome{}, err
		}
		all.Add(suites.Spread(n, func(lo, hi int64, t *suites.Tally) {
			for i := lo; i < hi; i++ {
				t.Bits("board", at+i, got[i], want[at+i])
			}
		}))
	}
	return all.Outcome("E0", "the whole board evolved on the CPU"), nil
}
