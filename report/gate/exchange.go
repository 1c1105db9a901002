package gate

import (
	"math/rand/v2"
	"slices"

	rowstat "github.com/amgpu/amgpu/report/stat"
)

// mostPermutations bounds the exchanges that are tried: all of up to 7 + 7 launches,
// of more a random choice that counts the observed one (Phipson and Smyth 2010).
const mostPermutations = 10000

// exchanged are choices of some out of all launches of a row. Each is cut into bytes of
// a bit for every launch, so that what a choice adds up to is a look-up for eight
// launches, whatever the row.
type exchanged struct {
	number int
	bytes  [][]uint8 // by eight launches, by choice
	table  [256]int64
	out    []int64
}

// exchangesOf are the exchanges of n out of total launches, the observed one first.
func exchangesOf(total, n int) *exchanged {
	picks := exchanges(total, n)
	e := &exchanged{number: len(picks), bytes: make([][]uint8, (total+7)/8), out: make([]int64, len(picks))}
	for c := range e.bytes {
		e.bytes[c] = make([]uint8, len(picks))
	}
	for p, pick := range picks {
		for _, i := range pick {
			e.bytes[i/8][p] |= 1 << (i % 8)
		}
	}
	return e
}

// sums adds up the values z of the launches that each exchange chooses. The slice is
// that of the next call, too.
func (e *exchanged) sums(z []int64) []int64 {
	clear(e.out)
	for c, chosen := range e.bytes {
		for i, v := range z[8*c : min(8*c+8, len(z))] {
			for low := range 1 << i {
				e.table[1<<i|low] = v + e.table[low]
			}
		}
		for p, b := range chosen {
			e.out[p] += e.table[b]
		}
	}
	return e.out
}

// exchanges lists choices of n out of total, first 0..n-1: all of them, or so many
// at random.
func exchanges(total, n int) [][]uint16 {
	first := make([]uint16, n)
	for i := range first {
		first[i] = uint16(i)
	}
	out := [][]uint16{first}
	if 1/rowstat.LeastP(n, total-n) > mostPermutations {
		r := rand.New(rand.NewPCG(0x616d677075, uint64(total))) // the same every time
		for len(out) < mostPermutations {
			all := r.Perm(total)[:n]
			slices.Sort(all)
			next := make([]uint16, n)
			for i, v := range all {
				next[i] = uint16(v)
			}
			out = append(out, next)
		}
		return out
	}
	for at := slices.Clone(first); ; {
		i := n - 1
		for i >= 0 && int(at[i]) == total-n+i {
			i--
		}
		if i < 0 {
			return out
		}
		at[i]++
		for k := i + 1; k < n; k++ {
			at[k] = at[k-1] + 1
		}
		out = append(out, slices.Clone(at))
	}
}
