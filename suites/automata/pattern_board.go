package automata

import (
	"fmt"
	"math"
	"sort"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// start is the first board: a word of it, and its source as a program has it.
func start(b suites.Build, bd board) (word func(i int64) uint32, source program.Source, err error) {
	if b.Input == "" {
		stream := suites.Stream{Seed: b.Seed, Workload: life{}.Info().Number, Array: idBoard}
		return stream.Word, program.Source{Kind: program.PhiloxRaw, ID: idBoard}, nil
	}
	p, err := readPattern(b.Input)
	if err != nil {
		return nil, source, err
	}
	paint := p.painter(bd)
	word = func(i int64) uint32 {
		var one [1]uint32
		paint(i, one[:])
		return one[0]
	}
	return word, program.Source{Kind: program.Made, Make: func(_ int, first int64, into []uint32) { paint(first, into) }}, nil
}

// painter fills words of a board, from the first one on, with a pattern in its middle. The
// runs are in the order of the cells, so those of a stretch are found by halving.
func (p *pattern) painter(bd board) func(first int64, into []uint32) {
	width := bd.words * wordBits
	origin := (bd.height-p.height)/2*width + (width-p.width)/2
	return func(first int64, into []uint32) {
		clear(into)
		lo, hi := first*wordBits, (first+int64(len(into)))*wordBits
		cell := func(r run) int64 { return origin + int64(r.row)*width + int64(r.col) }
		k := sort.Search(len(p.runs), func(k int) bool { return cell(p.runs[k])+int64(p.runs[k].n) > lo })
		for ; k < len(p.runs) && cell(p.runs[k]) < hi; k++ {
			from := cell(p.runs[k])
			for c := max(from, lo); c < min(from+int64(p.runs[k].n), hi); c++ {
				into[(c-lo)/wordBits] |= 1 << (c % wordBits)
			}
		}
	}
}

// InputSize is the edge of the board for a pattern.
func (life) InputSize(path string) (int64, error) {
	p, err := readPattern(path)
	if err != nil {
		return 0, err
	}
	return p.edge(), nil
}

// forPattern checks that a board has room for the pattern of its input.
func (bd board) forPattern(b suites.Build) error {
	if b.Input == "" {
		return nil
	}
	if b.Weak {
		return fmt.Errorf("automata/life: a pattern has one board: use strong mode, or weak mode without an input")
	}
	p, err := readPattern(b.Input)
	if err != nil {
		return fmt.Errorf("automata/life: %w", err)
	}
	if room := min(bd.height, bd.words*wordBits); p.width > room || p.height > room || bd.height > math.MaxInt32 {
		return fmt.Errorf("automata/life: a pattern of %d x %d cells on a board of %d: choose size %d", p.width, p.height, room, p.edge())
	}
	return nil
}
