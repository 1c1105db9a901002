package engine

import (
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// lane is what one device does in one phase: copies in, compute, copies out; at the same
// time, on a second queue, copies in that go beside copies out.
type lane struct {
	in, compute, out []vk.Op
	beside           []vk.Op
	landed           bool     // a copy engine wrote to the device before the phase
	behind, ahead    bool     // the phase follows a tail; has one
	dirty            vk.Stage // stages whose work the next operation must wait for
	cuts             []int    // positions in compute at which a new submission starts
	cost             float64  // of the current submission
	trees            int      // length of compute after trees of chunks that ended it; 0: none did
	treed            []string // their arrays
}

// run appends an operation of the given stage to a lane, behind a barrier
// against what came before unless it is independent of it.
func (l *lane) run(op vk.Op, at vk.Stage, independent bool) {
	if l.dirty != 0 && !independent {
		l.compute = append(l.compute, peer.Barrier(l.dirty, at))
		l.dirty = 0
	}
	l.compute = append(l.compute, op)
	l.dirty |= at
}

// ops lists one lane's operations with its timestamps and the cuts between
// submissions. first is the query index of the phase in q; nil: no timestamps.
func (l *lane) ops(q *vk.Queries, first int) [][]vk.Op {
	if len(l.in)+len(l.compute)+len(l.out) == 0 && !l.behind && !l.ahead {
		return nil
	}
	var ops []vk.Op
	if l.behind { // no hand-over lies between the tail and this
		ops = append(ops, peer.Barrier(vk.StageCompute, vk.StageCompute|vk.StageTransfer))
	}
	stamp := func(i int) {
		if q != nil {
			ops = append(ops, vk.Op{Kind: vk.OpTimestamp, Queries: q, Query: first + i})
		}
	}
	stamp(0)
	if len(l.in) > 0 {
		at := stagesOf(l.in)
		ops = append(ops, peer.Barrier(vk.StageHost, at))
		ops = append(ops, l.in...)
		stamp(1)
		ops = append(ops, peer.Barrier(at, vk.StageCompute|vk.StageTransfer))
	} else if l.landed {
		ops = append(ops, peer.Barrier(vk.StageTransfer|vk.StageHost, vk.StageCompute|vk.StageTransfer))
	}
	var lists [][]vk.Op
	from := 0
	for _, c := range l.cuts {
		lists = append(lists, append(ops, l.compute[from:c]...))
		ops, from = nil, c
	}
	ops = append(ops, l.compute[from:]...)
	stamp(2)
	if len(l.out) > 0 {
		at := stagesOf(l.out)
		if l.dirty != 0 {
			ops = append(ops, peer.Barrier(l.dirty, at))
		}
		ops = append(ops, l.out...)
		ops = append(ops, peer.Barrier(at, vk.StageHost))
		stamp(3)
	}
	return append(lists, ops)
}

// stagesOf are the stages that operations run in.
func stagesOf(ops []vk.Op) vk.Stage {
	var at vk.Stage
	for _, op := range ops {
		switch op.Kind {
		case vk.OpDispatch:
			at |= vk.StageCompute
		case vk.OpCopy, vk.OpFill:
			at |= vk.StageTransfer
		}
	}
	return at
}

// tailOps lists the operations of a tail likewise.
func (l *lane) tailOps(q *vk.Queries, first int) [][]vk.Op {
	if len(l.compute) == 0 {
		return nil
	}
	var lists [][]vk.Op
	from := 0
	for _, c := range append(l.cuts, len(l.compute)) {
		lists = append(lists, l.compute[from:c:c])
		from = c
	}
	if q != nil {
		lists[0] = append([]vk.Op{{Kind: vk.OpTimestamp, Queries: q, Query: first + tailQuery}}, lists[0]...)
		last := len(lists) - 1
		lists[last] = append(lists[last], vk.Op{Kind: vk.OpTimestamp, Queries: q, Query: first + tailQuery + 1})
	}
	return lists
}

// besideOps lists the operations of the second queue.
func (l *lane) besideOps(q *vk.Queries, first int) []vk.Op {
	if len(l.beside) == 0 {
		return nil
	}
	ops := append([]vk.Op{peer.Barrier(vk.StageHost, vk.StageTransfer)}, l.beside...)
	if q != nil {
		ops = append([]vk.Op{{Kind: vk.OpTimestamp, Queries: q, Query: first + besideQuery}}, ops...)
		ops = append(ops, vk.Op{Kind: vk.OpTimestamp, Queries: q, Query: first + besideQuery + 1})
	}
	return ops
}
