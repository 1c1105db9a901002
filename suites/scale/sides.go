package scale

import "github.com/amgpu/amgpu/report/result"

// bothSides doubles the shuffled cells of a block for a self-test: each is measured
// on side A and on side B, one right after the other, and who comes first changes
// from block to block. So the sides alternate inside every block, two blocks are ABBA
// (measurement.md M3), and a drift adds to neither.
func bothSides(cells []Cell, block int) []Cell {
	sides := [2]string{result.SideA, result.SideB}
	if block%2 == 1 {
		sides = [2]string{result.SideB, result.SideA}
	}
	out := make([]Cell, 0, 2*len(cells))
	for _, c := range cells {
		for k, side := range sides {
			twin := c
			twin.Side, twin.Launch = side, 2*c.Launch+k
			out = append(out, twin)
		}
	}
	return out
}
