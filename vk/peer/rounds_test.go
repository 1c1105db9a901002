package peer

import (
	"testing"

	"github.com/amgpu/amgpu/vk"
)

// One source for several receivers leaves its device once, and large moves are
// cut into rounds that hold every byte once.
func TestBatchSharesSources(t *testing.T) {
	src := new(vk.Buffer)
	const size = 3*maxRound*rounds16 + 12
	var moves []Move
	for to := 1; to < 4; to++ {
		moves = append(moves, Move{From: 0, To: to, Src: src, Dst: new(vk.Buffer), Size: size})
	}
	rounds := batch(moves)
	if len(rounds) != 3*rounds16+1 {
		t.Fatalf("%d rounds, want %d", len(rounds), 3*rounds16+1)
	}
	var bytes uint64
	for _, r := range rounds {
		for _, s := range r {
			if s.off != bytes || len(s.movers) != 3 || s.movers[2].DstOff != bytes || s.movers[2].Size != s.size {
				t.Errorf("slot %+v at byte %d", s, bytes)
			}
			bytes += s.size
		}
	}
	if bytes != size {
		t.Errorf("%d bytes leave the source, want %d", bytes, size)
	}
}

// All devices send in every round, so that both directions of a link are busy at
// once, and what they send lies apart.
func TestBatchKeepsDirectionsTogether(t *testing.T) {
	const size = 40 << 20
	bufs := []*vk.Buffer{new(vk.Buffer), new(vk.Buffer)}
	rounds := batch([]Move{
		{From: 0, To: 1, Src: bufs[0], Size: size}, {From: 1, To: 0, Src: bufs[1], Size: size},
		{From: 1, To: 0, Src: bufs[1], SrcOff: size, Size: 8}, {From: 0, To: 1, Src: bufs[0], SrcOff: size},
	})
	if len(rounds) < rounds16 {
		t.Fatalf("%d rounds, want at least %d", len(rounds), rounds16)
	}
	for i, r := range rounds {
		end := map[int]bool{}
		var at uint64
		for _, s := range r {
			if s.place < at {
				t.Errorf("round %d: slot at %d overlaps the one before, which ends at %d", i, s.place, at)
			}
			at = s.place + s.size
			end[s.from] = true
		}
		if i < rounds16-1 && len(end) != 2 {
			t.Errorf("round %d: devices %v send", i, end)
		}
	}
}
