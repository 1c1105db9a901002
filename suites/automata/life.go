// Package automata holds cellular automata, divided in bands with halos.
package automata

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(life{}) }

type life struct{}

const (
	idBoard  = 1
	wordBits = 32
	// wide is the number of words that a vector has beside each other, in rows that allow it.
	wide = 4
	// maxEdge keeps sizes in bytes far from the end of 64 bits.
	maxEdge = 1 << 24
	// cellOps is the nominal number of word operations a cell: 20 for 32 cells.
	cellOps = 20.0 / wordBits
)

func (life) Info() suites.Info {
	return suites.Info{
		ID: "automata/life", Number: 21,
		Doc:           "Conway's Life on a torus, 32 cells a word, bands with deep halos",
		Source:        "Amari; Conway 1970 (B3/S23)",
		Formula:       "alive' = (count of 9 = 3) or (count of 9 = 4 and alive)",
		Sizes:         suites.Sizes{S: 256, M: 8192, L: 65536},
		Layout:        "a row of the board, 32 cells a word, the first in bit 0",
		SizeUnit:      "edge of the square board in cells; or the pattern of --input (.rle, .cells) on a board four times as large",
		WorkUnit:      "cell",
		Flops:         "20 word operations per 32 cells and step (integer)",
		Arithmetic:    "int32",
		Bytes:         "1/(4 p) per cell and step, p steps in a pass (--constant pass)",
		Splits:        []string{"bands"},
		Communication: "halo: 2 h W/8 B received per device every h steps, h(h-1) rows computed twice",
		Tolerance:     "E0",
		Weak:          "height of the board proportional to the number of devices",
		ReadsInput:    true, // a pattern
		Params: []suites.Param{
			{Name: "halo", Doc: "rows exchanged at a time, h; also the steps between exchanges (0: by the width of the board)", Default: 0, Min: 0, Max: 1024},
			{Name: "overlap", Doc: "steps of the interior that are computed while the halo travels (-1: one where it takes longer than the exchange)", Default: -1, Min: -1, Max: 1024},
			{Name: "steps", Doc: "steps of one iteration, an even number (0: 16 up to size 1024, else 256)", Default: 0, Min: 0, Max: 1 << 20, Multiple: 2},
		},
		Tunables: []suites.Tunable{lifeGroup, lifeRows, lifeWidth, lifePass},
	}
}

// board is the problem: what the outputs depend on.
type board struct {
	height, words int64 // rows, and words a row
	steps         int64
}

func boardOf(b suites.Build) (board, error) {
	edge := b.Size
	if b.Weak {
		edge = b.Base
	}
	if edge < wordBits || edge%wordBits != 0 || b.Size < 1 {
		return board{}, fmt.Errorf("automata/life: a board %d cells wide: choose a size that is a multiple of 32, for example %d",
			edge, max((edge+wordBits-1)/wordBits, 1)*wordBits)
	}
	if edge > maxEdge {
		return board{}, fmt.Errorf("automata/life: a board %d cells wide: choose a size up to %d", edge, maxEdge)
	}
	steps := b.Params["steps"]
	switch {
	case steps == 0 && edge <= 1024:
		steps = 16
	case steps == 0:
		steps = 256
	case steps%2 != 0:
		return board{}, fmt.Errorf("automata/life: %d steps: choose an even number, the board alternates between two arrays", steps)
	}
	return board{height: b.Size, words: edge / wordBits, steps: steps}, nil
}

func (life) Build(b suites.Build) (*program.Program, error) {
	bd, err := boardOf(b)
	if err != nil {
		return nil, err
	}
	shares := b.Divide(bd.height, 1)
	halo := haloOf(b, bd, shares)
	if err := haloFits(halo, shares); err != nil {
		return nil, err
	}
	if err := bd.forPattern(b); err != nil {
		return nil, err
	}
	_, source, err := start(b, bd)
	if err != nil {
		return nil, err
	}
	shape, err := bd.shape(b)
	if err != nil {
		return nil, err
	}
	array := program.Array{Elem: program.U32, Layout: program.Split, Units: bd.height, Stride: bd.words, Halo: halo, Wrap: true}
	first, second := array, array
	first.Name, first.Output = "board", true
	first.Source = source
	second.Name = "other"

	cells := float64(bd.height) * float64(bd.words) * wordBits * float64(bd.steps)
	return &program.Program{
		Units: bd.height, Shares: shares,
		Arrays:  []program.Array{first, second},
		Kernels: shape.kernels(halo),
		Steps:   shape.evolution(halo, b.Params["overlap"], shares),
		Evolves: true,
		Work:    cells, Flops: cells * cellOps, Bytes: cells / 4 / float64(min(shape.pass, halo)),
	}, nil
}

// exchangeCells is how many cells a GPU makes in the time of an exchange: 10 us of 2e13 a second.
const exchangeCells = 2e8

// haloOf is the depth asked for, or a power of two near the one that costs least. Of h rows
// an exchange costs exchangeCells / h a step, and the rows that are made twice h times the
// width: together least at the root of exchangeCells / width. CPU devices make so few cells in
// that time that 8 rows are enough.
func haloOf(b suites.Build, bd board, shares []program.Share) int64 {
	if asked := b.Params["halo"]; asked > 0 {
		return min(asked, bd.steps)
	}
	halo := int64(8)
	for b.Limits.Class != suites.Software && 4*halo*halo*bd.words*wordBits <= exchangeCells {
		halo *= 2
	}
	halo = min(halo, bd.steps)
	if least := leastShare(shares); least > 0 {
		halo = min(halo, least)
	}
	return halo
}

// haloFits refuses a halo that reaches past the neighbouring share: rows would
// come from further away and be computed more often than owned.
func haloFits(halo int64, shares []program.Share) error {
	least, at := int64(-1), 0
	for i, s := range shares {
		if n := s.Len(); n > 0 && (least < 0 || n < least) {
			least, at = n, i
		}
	}
	if least >= halo {
		return nil
	}
	return fmt.Errorf("automata/life: a halo of %d rows is deeper than the %d rows of device %d: choose --param halo=%d, a larger --size or fewer devices",
		halo, least, at, least)
}

// overlapCells is how many cells of a device are worth the overlap: it makes two launches
// more a block, and on two H200 with 2^25 cells each (6 us a step, 25 us an exchange) cost
// more than it hid. A step of this many takes about 50 us on such a GPU.
const overlapCells = 1 << 28

// overlapOf is the number of steps asked for, or chosen by the largest share.
func overlapOf(asked int64, bd board, shares []program.Share) int64 {
	if asked >= 0 {
		return asked
	}
	for _, s := range shares {
		if s.Len()*bd.words*wordBits >= overlapCells {
			return 1
		}
	}
	return 0
}

// margin is how many rows at each end of a share step j leaves to the edges: one that
// needs the halo, and from the second step on, which writes the array that the exchange
// reads depth rows of, those. It grows from step to step, as the edges still need the
// interior's last row from the step before, which the next step must not replace.
func margin(j, depth int64) int64 {
	if j == 0 {
		return 1
	}
	return depth + j - 1
}

// overlapFits is for how many steps every share has an interior; 0 where nothing is
// exchanged between devices.
func overlapFits(depth int64, shares []program.Share) int64 {
	least, busy := int64(0), 0
	for _, s := range shares {
		if n := s.Len(); n > 0 {
			if busy++; busy == 1 || n < least {
				least = n
			}
		}
	}
	if busy < 2 {
		return 0
	}
	fits := int64(0)
	for fits < depth && 2*margin(fits, depth) < least {
		fits++
	}
	return fits
}
