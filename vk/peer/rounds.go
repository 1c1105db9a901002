package peer

import "github.com/amgpu/amgpu/vk"

// roundBytes bounds what one round holds in host memory: large exchanges go in
// several rounds, so that one round's copy in overlaps the next one's copy out.
const roundBytes = 64 << 20

// slot is a source region with its place in the round's host memory.
type slot struct {
	from   int
	buf    *vk.Buffer
	off    uint64
	size   uint64
	place  uint64
	movers []Move
}

// batch cuts moves into pieces of at most roundBytes and groups them into
// rounds. Moves with one source region share one slot: a broadcast leaves its
// device once.
func batch(moves []Move) [][]slot {
	var rounds [][]slot
	var current []slot
	var used uint64
	index := map[slotKey]int{}
	flush := func() {
		if len(current) > 0 {
			rounds = append(rounds, current)
			current, used = nil, 0
			clear(index)
		}
	}
	// All receivers of one source piece must land in one round, so walk by source.
	for _, group := range bySource(moves) {
		size := group[0].Size
		for at := uint64(0); at < size; at += roundBytes {
			n := min(size-at, roundBytes)
			if used+n > roundBytes {
				flush()
			}
			for _, m := range group {
				m.SrcOff, m.DstOff, m.Size = m.SrcOff+at, m.DstOff+at, n
				k := slotKey{m.From, m.Src, m.SrcOff, n}
				i, ok := index[k]
				if !ok {
					i = len(current)
					index[k] = i
					current = append(current, slot{from: m.From, buf: m.Src, off: m.SrcOff, size: n, place: used})
					used += (n + 255) &^ 255
				}
				current[i].movers = append(current[i].movers, m)
			}
		}
	}
	flush()
	return rounds
}

type slotKey struct {
	from int
	buf  *vk.Buffer
	off  uint64
	size uint64
}

// bySource groups moves that read the same region, keeping first-seen order.
func bySource(moves []Move) [][]Move {
	var out [][]Move
	at := map[slotKey]int{}
	for _, m := range moves {
		if m.Size == 0 {
			continue
		}
		k := slotKey{m.From, m.Src, m.SrcOff, m.Size}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], m)
	}
	return out
}

// total is the host memory a round needs.
func total(slots []slot) uint64 {
	var n uint64
	for _, s := range slots {
		n = max(n, s.place+(s.size+255)&^255)
	}
	return n
}

func copyOp(src *vk.Buffer, srcOff uint64, dst *vk.Buffer, dstOff, size uint64) vk.Op {
	return vk.Op{Kind: vk.OpCopy, Src: src, SrcOff: srcOff, Dst: dst, DstOff: dstOff, Size: size}
}

func newRound(n int) Round {
	return Round{Out: make([][]vk.Op, n), In: make([][]vk.Op, n)}
}

// blockKey names the host memory of one round: rounds of one parity and size
// class share it, since two phases lie between them.
type blockKey struct {
	size   uint64
	parity int
}

// blockClass rounds size up to a power of two of at least 64 KiB.
func blockClass(size uint64, parity int) blockKey {
	class := uint64(1 << 16)
	for class < size {
		class <<= 1
	}
	return blockKey{class, parity}
}
