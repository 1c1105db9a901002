package peer

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/amgpu/amgpu/vk"
)

// ErrWrongData says that a transport reported success and delivered other bytes
// than were sent.
var ErrWrongData = errors.New("wrong data")

// probeSizes are odd on purpose: whole pages alone would hide off-by-a-line faults.
var probeSizes = []uint64{4, 252, 65540, 1<<20 + 12}

// VerifyAll sends fresh random data over every link of the team, through the
// same schedule the engine uses, and compares what arrived with what was sent.
func VerifyAll(t Transport, team []*vk.Device) error {
	if len(team) < 2 {
		return nil
	}
	for from := range team {
		for to := range team {
			if from == to {
				continue
			}
			for _, size := range probeSizes {
				if err := verifyLink(t, team, from, to, size); err != nil {
					return fmt.Errorf("link %d -> %d, %d bytes: %w", from, to, size, err)
				}
			}
		}
	}
	return nil
}

// verifyLink moves size random bytes at an odd offset and checks them and the
// sentinel around them on the receiver.
func verifyLink(t Transport, team []*vk.Device, from, to int, size uint64) (err error) {
	const edge = 64
	whole := size + 2*edge
	var closers []func() error
	defer func() {
		for i := len(closers) - 1; i >= 0; i-- {
			err = errors.Join(err, closers[i]())
		}
	}()
	buffer := func(d *vk.Device, kind vk.MemKind) *vk.Buffer {
		if err != nil {
			return nil
		}
		var b *vk.Buffer
		if b, err = d.NewBuffer(whole, kind); err == nil {
			closers = append(closers, b.Close)
		}
		return b
	}
	upload, src := buffer(team[from], vk.HostWrite), buffer(team[from], vk.DeviceLocal)
	dst, download := buffer(team[to], vk.DeviceLocal), buffer(team[to], vk.HostRead)
	if err != nil {
		return err
	}
	pattern := make([]byte, whole)
	if _, err := rand.Read(pattern); err != nil {
		return err
	}
	copy(upload.Bytes(), pattern)

	rounds, _, err := t.Rounds([]Move{{From: from, To: to, Src: src, SrcOff: edge, Dst: dst, DstOff: edge, Size: size}}, 0)
	if err != nil {
		return err
	}
	const sentinel = 0x5e5e5e5e
	phases := make([][][]vk.Op, len(rounds)+1) // [phase][device]
	for p := range phases {
		phases[p] = make([][]vk.Op, len(team))
	}
	phases[0][from] = []vk.Op{copyOp(upload, 0, src, 0, whole), Barrier(vk.StageTransfer, vk.StageTransfer)}
	phases[0][to] = []vk.Op{{Kind: vk.OpFill, Dst: dst, Size: whole, Value: sentinel}, Barrier(vk.StageTransfer, vk.StageTransfer)}
	for i, r := range rounds {
		for d := range team {
			phases[i][d] = append(phases[i][d], r.Out[d]...)
			phases[i+1][d] = append(phases[i+1][d], r.In[d]...)
		}
	}
	last := &phases[len(rounds)][to]
	*last = append(*last, Barrier(vk.StageTransfer, vk.StageTransfer), copyOp(dst, 0, download, 0, whole), Barrier(vk.StageTransfer, vk.StageHost))
	s, err := recordOps(team, rounds, phases, &closers)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if _, err := s.Run(ctx); err != nil {
		return err
	}
	got := download.Bytes()[:whole]
	if !bytes.Equal(got[edge:edge+size], pattern[edge:edge+size]) {
		for i := uint64(edge); i < edge+size; i++ {
			if got[i] != pattern[i] {
				return fmt.Errorf("%w: first at byte %d: sent %#02x, received %#02x", ErrWrongData, i-edge, pattern[i], got[i])
			}
		}
	}
	for i := range whole {
		if (i < edge || i >= edge+size) && got[i] != sentinel&0xff {
			return fmt.Errorf("%w: byte %d outside the target was overwritten", ErrWrongData, int64(i)-edge)
		}
	}
	return nil
}

// recordOps records phases of operations on the team, with the host copies of
// rounds between them. What it makes is added to closers.
func recordOps(team []*vk.Device, rounds []Round, ops [][][]vk.Op, closers *[]func() error) (*vk.Schedule, error) {
	phases := make([]vk.Phase, len(ops))
	for p := range ops {
		phases[p].Submissions = make([][]*vk.Commands, len(team))
		for d := range team {
			if len(ops[p][d]) == 0 {
				continue
			}
			c, err := team[d].Record(ops[p][d])
			if err != nil {
				return nil, err
			}
			*closers = append(*closers, c.Close)
			phases[p].Submissions[d] = []*vk.Commands{c}
		}
		if p < len(rounds) {
			phases[p].Copies = rounds[p].Copies
		}
	}
	s, err := vk.NewSchedule(team, phases)
	if err != nil {
		return nil, err
	}
	*closers = append(*closers, s.Close)
	return s, nil
}

// Barrier is the operation that makes writes of stage from visible to stage to.
func Barrier(from, to vk.Stage) vk.Op {
	return vk.Op{Kind: vk.OpBarrier, From: from, To: to}
}
