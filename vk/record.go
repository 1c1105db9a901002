package vk

import (
	"errors"
	"fmt"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// OpKind says what an operation does.
type OpKind int

// Operations.
const (
	OpDispatch  OpKind = iota // Kernel, Set, Push, Groups
	OpCopy                    // Src, SrcOff, Dst, DstOff, Size
	OpFill                    // Dst, DstOff, Size, Value
	OpBarrier                 // From, To
	OpTimestamp               // Queries, Query: written when all work before it is done
)

// Stage is a set of pipeline stages.
type Stage uint32

// Stages of barriers.
const (
	StageCompute  Stage = raw.StageCompute
	StageTransfer Stage = raw.StageTransfer
	StageHost     Stage = raw.StageHost
)

// Op is one recorded operation.
type Op struct {
	Kind           OpKind
	Kernel         *Kernel
	Set            *Set
	Push           []uint32
	Groups         [3]uint32
	Src, Dst       *Buffer
	SrcOff, DstOff uint64
	Size           uint64
	Value          uint32
	Queries        *Queries
	Query          int
	From, To       Stage // barrier: writes of From are seen by To
}

// Commands is a recorded command buffer; it may be submitted again once it is done.
type Commands struct {
	device *Device
	queue  *raw.Device // of the device
	raw    raw.Commands
}

// Record records operations in one call.
func (d *Device) Record(ops []Op) (*Commands, error) { return d.record(d.raw, ops) }

// RecordBeside records operations for the device's second queue: all but dispatches, and
// no barrier may name StageCompute. See Phase.Beside.
func (d *Device) RecordBeside(ops []Op) (*Commands, error) {
	for _, op := range ops {
		if op.Kind == OpDispatch || op.Kind == OpBarrier && (op.From|op.To)&StageCompute != 0 {
			return nil, fmt.Errorf("compute on the second queue of %s: %w", d.name, ErrUnsupported)
		}
	}
	return d.record(d.raw.Beside(), ops)
}

func (d *Device) record(queue *raw.Device, ops []Op) (*Commands, error) {
	flat := make([]uint64, 0, 16*len(ops))
	var err error
	for i := range ops {
		if flat, err = d.encode(flat, &ops[i]); err != nil {
			return nil, err
		}
	}
	c, code := queue.Record(flat)
	if err := d.call(code, "recording %d operations", len(ops)); err != nil {
		return nil, err
	}
	return &Commands{d, queue, c}, nil
}

// Rerecord replaces what the command buffer holds; it must not be under way. It takes
// a few microseconds, so that work which is known only while devices run can be recorded
// then, and must be called from one thread at a time for a device. After an error the
// command buffer holds nothing and must not be submitted.
func (c *Commands) Rerecord(ops []Op) (err error) {
	if c == nil || c.device == nil {
		return errors.New("recording into commands that are closed")
	}
	d := c.device
	flat := d.flat[:0]
	for i := range ops {
		if flat, err = d.encode(flat, &ops[i]); err != nil {
			return err
		}
	}
	d.flat = flat
	return d.call(c.queue.Rerecord(c.raw, flat), "recording %d operations", len(ops))
}

func (d *Device) encode(flat []uint64, op *Op) ([]uint64, error) {
	switch op.Kind {
	case OpDispatch:
		k := op.Kernel
		if k == nil || k.device != d || op.Set == nil {
			return nil, fmt.Errorf("dispatch on %s without a kernel of it or without buffers", d.name)
		}
		for i, g := range op.Groups {
			if most := d.Info().Limits.GroupCount[i]; g > most {
				return nil, fmt.Errorf("kernel %s: %w: %d work-groups in dimension %d, %s allows %d", k.name, ErrUnsupported, g, i, d.name, most)
			}
		}
		if len(op.Push)*4 > k.push {
			return nil, fmt.Errorf("kernel %s: %d push words, it has room for %d", k.name, len(op.Push), k.push/4)
		}
		flat = append(flat, raw.OpDispatch, k.raw.Pipeline, k.raw.Layout, uint64(op.Set.raw),
			uint64(op.Groups[0]), uint64(op.Groups[1]), uint64(op.Groups[2]), uint64(len(op.Push)))
		for i := 0; i < len(op.Push); i += 2 {
			w := uint64(op.Push[i])
			if i+1 < len(op.Push) {
				w |= uint64(op.Push[i+1]) << 32
			}
			flat = append(flat, w)
		}
	case OpCopy:
		if !op.Src.of(d) || !op.Dst.of(d) {
			return nil, fmt.Errorf("copy on %s of a buffer that is closed or another device's", d.name)
		}
		if !op.Src.holds(op.SrcOff, op.Size) || !op.Dst.holds(op.DstOff, op.Size) || op.Size == 0 {
			return nil, fmt.Errorf("copy of %d bytes from %d of %d to %d of %d on %s", op.Size, op.SrcOff, op.Src.size, op.DstOff, op.Dst.size, d.name)
		}
		flat = append(flat, raw.OpCopy, uint64(op.Src.raw), op.SrcOff, uint64(op.Dst.raw), op.DstOff, op.Size)
	case OpFill:
		if !op.Dst.of(d) {
			return nil, fmt.Errorf("fill on %s of a buffer that is closed or another device's", d.name)
		}
		if !op.Dst.holds(op.DstOff, op.Size) || op.Size%4 != 0 || op.DstOff%4 != 0 || op.Size == 0 {
			return nil, fmt.Errorf("fill of %d bytes at %d of %d on %s", op.Size, op.DstOff, op.Dst.size, d.name)
		}
		flat = append(flat, raw.OpFill, uint64(op.Dst.raw), op.DstOff, op.Size, uint64(op.Value))
	case OpBarrier:
		flat = append(flat, raw.OpBarrier, uint64(op.From), uint64(op.To))
	case OpTimestamp:
		if q := op.Queries; q == nil || q.device != d || op.Query < 0 || op.Query >= q.n {
			return nil, fmt.Errorf("timestamp %d on %s: no such query of it", op.Query, d.name)
		}
		flat = append(flat, raw.OpTimestamp, uint64(op.Queries.raw), uint64(op.Query))
	default:
		return nil, fmt.Errorf("operation of unknown kind %d on %s", op.Kind, d.name)
	}
	return flat, nil
}

// Close frees the command buffer, which must not be under way. Safe on nil and twice.
func (c *Commands) Close() error {
	if c == nil || c.device == nil || c.device.untouchable() {
		return nil
	}
	c.queue.FreeCommands(c.raw)
	c.device = nil
	return nil
}
