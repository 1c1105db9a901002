package peer

import "github.com/amgpu/amgpu/vk"

// A large exchange through host memory goes in several rounds, so that one
// round's copy in overlaps the next one's copy out. A device sends at most this
// much in one round: a sixteenth of what it has to send in all, within bounds.
// Shorter rounds pay more hand-overs, longer ones overlap less.
const (
	minRound = 2 << 20
	maxRound = 16 << 20
	rounds16 = 16
)

// roundBytes is how much one device sends in a round of an exchange in which the
// busiest device sends total bytes.
func roundBytes(total uint64) uint64 {
	return min(max((total/rounds16+255)&^255, minRound), maxRound)
}

// slot is a source region with its place in the round's host memory.
type slot struct {
	from   int
	buf    *vk.Buffer
	off    uint64
	size   uint64
	place  uint64
	movers []Move
}

// batch cuts moves into pieces and groups them into rounds, every device sending
// about as much in each. Moves with one source region share one slot: a broadcast
// leaves its device once.
func batch(moves []Move) [][]slot {
	groups := bySource(moves)
	totals := map[int]uint64{} // by device
	for _, g := range groups {
		totals[g[0].From] += g[0].Size
	}
	var most uint64
	for _, t := range totals {
		most = max(most, t)
	}
	limit := roundBytes(most)
	var rounds [][]slot
	sent := map[int]uint64{} // by device, in all rounds
	var used []uint64        // by round
	for _, group := range groups {
		from, size := group[0].From, group[0].Size
		for at := uint64(0); at < size; {
			r := int(sent[from] / limit)
			n := min(size-at, limit-sent[from]%limit)
			for len(rounds) <= r {
				rounds, used = append(rounds, nil), append(used, 0)
			}
			s := slot{from: from, buf: group[0].Src, off: group[0].SrcOff + at, size: n, place: used[r]}
			for _, m := range group {
				m.SrcOff, m.DstOff, m.Size = m.SrcOff+at, m.DstOff+at, n
				s.movers = append(s.movers, m)
			}
			rounds[r] = append(rounds[r], s)
			used[r] += (n + 255) &^ 255
			sent[from] += n
			at += n
		}
	}
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
