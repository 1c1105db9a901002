package comm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// operator is one value of the parameter op.
type operator struct {
	op      program.Op
	average bool
}

var operators = []operator{{program.Sum, false}, {program.Min, false}, {program.Max, false}, {program.Sum, true}}

// opParam chooses among operators; chunksParam cuts the last round before the sums.
var (
	opParam     = suites.Param{Name: "op", Doc: "0 sum, 1 minimum, 2 maximum, 3 average", Default: 0, Min: 0, Max: 3}
	chunksParam = suites.Param{Name: "chunks", Doc: "parts of a slice whose sums overlap copies: 1 to 4, 0: the fastest", Default: 0, Min: 0, Max: 4}
)

// reduction reads the parameters of a build; cut are the algorithms beside auto that have chunks.
func reduction(info suites.Info, b suites.Build, cut ...string) (o operator, chunks int, err error) {
	op, c := b.Params["op"], b.Params["chunks"]
	if op < 0 || op >= int64(len(operators)) {
		return o, 0, fmt.Errorf("%s: op %d: choose 0 (sum), 1 (minimum), 2 (maximum) or 3 (average)", info.ID, op)
	}
	if c < chunksParam.Min || c > chunksParam.Max {
		return o, 0, fmt.Errorf("%s: %d chunks: choose 1 to 4, or 0 for the fastest", info.ID, c)
	}
	if c > 0 && b.Algorithm != "" && b.Algorithm != program.Auto && !slices.Contains(cut, b.Algorithm) {
		return o, 0, fmt.Errorf("%s: --algorithm %s has no chunks: leave out --param chunks, or choose --algorithm %s", info.ID, b.Algorithm, strings.Join(cut, " or "))
	}
	return operators[op], int(c), nil
}

// inRankOrder combines as a binary counter does: ((x0+x1)+(x2+x3)), what is left over
// merged from the right.
func (o operator) inRankOrder(x []float32) float32 {
	var stack []float32
	for i, v := range x {
		for k := i + 1; k%2 == 0; k /= 2 { // two complete subtrees of equal size
			v = o.combine(stack[len(stack)-1], v)
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, v)
	}
	v := stack[len(stack)-1]
	for i := len(stack) - 2; i >= 0; i-- {
		v = o.combine(stack[i], v)
	}
	return o.finish(v, len(x))
}

// roundRing combines slice r as a ring does: from rank r+1 round to r itself.
func (o operator) roundRing(x []float32, r int) float32 {
	n := len(x)
	v := x[(r+1)%n]
	for k := 2; k <= n; k++ {
		v = o.combine(v, x[(r+k)%n])
	}
	return o.finish(v, n)
}

func (o operator) combine(a, b float32) float32 {
	switch o.op {
	case program.Min:
		return min(a, b)
	case program.Max:
		return max(a, b)
	default:
		return a + b
	}
}

func (o operator) finish(v float32, n int) float32 {
	if o.average {
		return v / float32(n)
	}
	return v
}

// expected is element i of the combination over all ranks; parts are the slices of a
// ring, and nil where the order is that of the ranks.
func (o operator) expected(seed uint64, count int, i int64, parts []program.Share) float32 {
	x := make([]float32, count)
	for r := range x {
		x[r] = operand(seed, r, i)
	}
	for r, p := range parts {
		if i >= p.Lo && i < p.Hi {
			return o.roundRing(x, r)
		}
	}
	return o.inRankOrder(x)
}
