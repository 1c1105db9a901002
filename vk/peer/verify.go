package peer

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/amgpu/amgpu/vk"
)

// ErrWrongData says that a transport reported success and delivered other bytes
// than were sent.
var ErrWrongData = errors.New("wrong data")

// probeWords are the lengths of the copies a link is tried with: odd on purpose,
// as whole pages alone would hide off-by-a-line faults; the last one takes several
// rounds.
var probeWords = []uint32{1, 63, 16385, 262147, 1<<19 + 5}

// Around every copy's target this many words must stay as they were; source and
// target lie differently by probeShift words.
const (
	probeEdge  = 16
	probeShift = 8
	sentinel   = 0x5e5e5e5e
)

// probeLength is the length of the buffers all copies of a probe fit in, in words.
func probeLength() uint32 {
	var n uint32
	for _, w := range probeWords {
		n += w + 2*probeEdge
	}
	return n + probeShift
}

// idle is how long links that bypass the host rest between two tries: writes over
// PCIe have been seen to get lost once the devices had gone to sleep.
const idle = time.Second

// verifyAll sends fresh random data over links of the team, through the same
// schedules the engine uses; shaders on the receivers compare it. The result
// holds nil or an error for each link.
func (p *prober) verifyAll(t Transport, links []pair) []error {
	errs := make([]error, len(links))
	rest := false
	for i, l := range links {
		errs[i] = p.verify(t, l)
		direct := t.Name() == CUDA || t.Name() == DmaBuf
		rest = rest || errs[i] == nil && direct && !p.team[l.from].Info().Software()
	}
	if !rest {
		return errs
	}
	time.Sleep(idle)
	for i, l := range links {
		if errs[i] == nil {
			if errs[i] = p.verify(t, l); errs[i] != nil {
				errs[i] = fmt.Errorf("after a rest of %v: %w", idle, errs[i])
			}
		}
	}
	return errs
}

// verify tries one link.
func (p *prober) verify(t Transport, l pair) (err error) {
	from, err := p.end(l.from)
	if err != nil {
		return err
	}
	to, err := p.end(l.to)
	if err != nil {
		return err
	}
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	seed := binary.LittleEndian.Uint32(random[:])
	rounds, _, err := t.Rounds(probeMoves(l, from.src, to.dst), 0)
	if err != nil {
		return err
	}
	c := newChain(p.team, rounds)
	defer func() { err = errors.Join(err, c.close()) }()
	c.before(l.from, from.fills(from.srcSet, seed, false))
	c.before(l.to, to.fills(to.dstSet, sentinel, true))
	c.after(l.to, to.checks(seed)...)
	s, err := c.schedule()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if _, err := s.Run(ctx); err != nil {
		return err
	}
	return judge(words(to.report.Bytes()))
}

// probeMoves are the copies that a link is tried with.
func probeMoves(l pair, src, dst *vk.Buffer) []Move {
	moves := make([]Move, len(probeWords))
	var at uint32
	for i, n := range probeWords {
		lo := at + probeEdge
		moves[i] = Move{From: l.from, To: l.to, Src: src, SrcOff: 4 * uint64(lo+probeShift), Dst: dst, DstOff: 4 * uint64(lo), Size: 4 * uint64(n)}
		at = lo + n + probeEdge
	}
	return moves
}

// checks are what the receiver does to find out what has arrived.
func (e *probeEnd) checks(seed uint32) []vk.Op {
	out := []vk.Op{
		{Kind: vk.OpFill, Dst: e.result, Size: 16, Value: 0},
		Barrier(vk.StageTransfer, vk.StageTransfer),
		{Kind: vk.OpFill, Dst: e.result, DstOff: 4, Size: 4, Value: 0xffffffff},
		Barrier(vk.StageTransfer, vk.StageCompute|vk.StageTransfer),
	}
	var at uint32
	for _, n := range probeWords {
		lo := at + probeEdge
		out = append(out, e.compares(at, lo+n+probeEdge, lo, lo+n, seed))
		at = lo + n + probeEdge
	}
	return append(out,
		Barrier(vk.StageCompute, vk.StageTransfer),
		copyOp(e.result, 0, e.report, 0, 16),
		Barrier(vk.StageTransfer, vk.StageHost))
}

// judge turns the comparison's result into an error.
func judge(result []uint32) error {
	wrong, first, untouched := result[0], result[1], result[2]
	if wrong == 0 {
		return nil
	}
	var at, copied uint32
	for _, n := range probeWords {
		copied += n
	}
	for _, n := range probeWords {
		lo, end := at+probeEdge, at+n+2*probeEdge
		switch {
		case first >= end:
			at = end
			continue
		case first < lo || first >= lo+n:
			return fmt.Errorf("%w: byte %d of a copy of %d bytes was written, outside its target; %d words of %d are wrong in all",
				ErrWrongData, 4*(int64(first)-int64(lo)), 4*n, wrong, copied)
		}
		return fmt.Errorf("%w: %d words of %d, %d of them never written; the first at byte %d of a copy of %d bytes",
			ErrWrongData, wrong, copied, untouched, 4*(first-lo), 4*n)
	}
	return fmt.Errorf("%w: %d words", ErrWrongData, wrong)
}

func words(b []byte) []uint32 {
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}
