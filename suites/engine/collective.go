package engine

import (
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer/collective"
)

// operation is a collective over one pair of arrays.
type operation struct {
	schedule *collective.Schedule
	in, out  string // arrays; in is empty where the schedule has no In
	op       program.Op
	average  bool
	slots    int64 // where its slots begin in the scratch memory, elements
	// arrivals is where receivers read slots in place instead, by rank and element;
	// nil: they do not.
	arrivals map[arrival]vk.BufferRange
	inPlace  bool
}

type arrival struct {
	rank int
	at   int64
}

// collective appends a step that all devices take part in.
func (b *builder) collective(st program.Step) error {
	w := b.s.wayOf(st)
	b.take(w)
	if r, ok := st.(program.AllReduce); ok && r.Order == program.ByChunk {
		return b.reduceChunks(r, w)
	}
	list, err := b.s.operations(st)
	if err != nil {
		return err
	}
	return b.lower(list)
}

// operations turns a step into schedules.
func (s *Session) operations(st program.Step) ([]operation, error) {
	w, o, n := s.wayOf(st), s.cutting(), len(s.workers)
	o.Chunks = w.chunks
	switch st := st.(type) {
	case program.AllReduce:
		in, out, err := s.pair("all-reduce", st.Array, st.Into, program.Local)
		if err != nil {
			return nil, err
		}
		if in.Units*in.Stride != out.Units*out.Stride {
			return nil, fmt.Errorf("all-reduce: %q and %q differ in length", st.Array, st.Into)
		}
		return one(operation{in: in.Name, out: out.Name, op: st.Op, average: st.Average, inPlace: w.inPlace}, allReduce, w, in.Units*in.Stride, n, o)
	case program.ReduceScatter:
		return s.reduceScatter(st, w, o)
	case program.AllGather:
		return each(st.Arrays, func(i int, name string) (operation, error) {
			if st.From == nil {
				return s.allGather(name, "", w)
			}
			if len(st.From) != len(st.Arrays) {
				return operation{}, fmt.Errorf("all-gather of %d arrays from %d", len(st.Arrays), len(st.From))
			}
			return s.allGather(name, st.From[i], w)
		})
	case program.Broadcast:
		return each(st.Arrays, func(i int, name string) (operation, error) { return s.broadcast(i, name, st, w, o) })
	case program.AllToAll:
		in, out, err := s.pair("all-to-all", st.Array, st.Into, program.Local)
		if err != nil {
			return nil, err
		}
		if in.Name == out.Name || in.Units != out.Units || in.Stride != out.Stride || in.Units%int64(n) != 0 {
			return nil, fmt.Errorf("all-to-all: %q and %q must be two arrays of one shape, of units that divide by %d devices", st.Array, st.Into, n)
		}
		return []operation{{schedule: collective.AllToAll(in.Units/int64(n)*in.Stride, n), in: in.Name, out: out.Name}}, nil
	case program.Send:
		return s.send(st)
	}
	return nil, fmt.Errorf("%T is no collective", st)
}

// pair looks up the two arrays of a step.
func (s *Session) pair(step, from, into string, layout program.Layout) (in, out *program.Array, err error) {
	in, ok := s.prog.Array(from)
	out, ok2 := s.prog.Array(into)
	if !ok || !ok2 || in.Layout != program.Local || out.Layout != layout {
		return nil, nil, fmt.Errorf("%s: %q or %q is missing or of a layout that does not fit", step, from, into)
	}
	return in, out, nil
}

func one(op operation, schedules map[string]func(int64, int, collective.Options) *collective.Schedule, w way, n int64, ranks int, o collective.Options) ([]operation, error) {
	f := schedules[w.algorithm]
	if f == nil {
		return nil, fmt.Errorf("all-reduce: unknown algorithm %q", w.algorithm)
	}
	op.schedule = f(n, ranks, o)
	return []operation{op}, nil
}

func each(names []string, f func(i int, name string) (operation, error)) ([]operation, error) {
	var out []operation
	for i, name := range names {
		op, err := f(i, name)
		if err != nil {
			return nil, err
		}
		out = append(out, op)
	}
	return out, nil
}

// allReduce holds the algorithms of the all-reduce in rank order.
var allReduce = map[string]func(n int64, ranks int, o collective.Options) *collective.Schedule{
	program.OneShot: collective.OneShot, program.TwoShot: collective.TwoShot, program.Ring: collective.Ring,
	program.RecursiveDoubling: collective.RecursiveDoubling, program.Tree: collective.Tree, program.Hierarchical: collective.Hierarchical,
}

func (s *Session) reduceScatter(st program.ReduceScatter, w way, o collective.Options) ([]operation, error) {
	in, out, err := s.pair("reduce-scatter", st.Array, st.Into, program.Split)
	if err != nil {
		return nil, err
	}
	if in.Units != s.prog.Units || in.Stride != out.Stride {
		return nil, fmt.Errorf("reduce-scatter: %q must have the program's %d units, as long as those of %q", st.Array, s.prog.Units, st.Into)
	}
	op := operation{in: in.Name, out: out.Name, op: st.Op, average: st.Average}
	switch w.algorithm {
	case program.OneShot:
		op.schedule = collective.ReduceScatter(s.spans(in.Stride), o)
	case program.Ring:
		op.schedule = collective.RingReduceScatter(s.spans(in.Stride), o)
	default:
		return nil, fmt.Errorf("reduce-scatter: unknown algorithm %q", w.algorithm)
	}
	return []operation{op}, nil
}

func (s *Session) allGather(name, from string, w way) (operation, error) {
	a, ok := s.prog.Array(name)
	if !ok || a.Layout != program.Replicated || a.Units != s.prog.Units {
		return operation{}, fmt.Errorf("all-gather: %q is not a replicated array with the program's units", name)
	}
	if f, ok := s.prog.Array(from); from != "" && (!ok || f.Layout != program.Split || f.Stride != a.Stride) {
		return operation{}, fmt.Errorf("all-gather: %q is not a divided array with the units of %q", from, name)
	}
	op := operation{in: from, out: name}
	switch w.algorithm {
	case program.OneShot:
		op.schedule = collective.AllGather(s.spans(a.Stride), from != "")
	case program.Ring:
		op.schedule = collective.RingAllGather(s.spans(a.Stride), from != "")
	default:
		return op, fmt.Errorf("all-gather: unknown algorithm %q", w.algorithm)
	}
	return op, nil
}

func (s *Session) broadcast(i int, name string, st program.Broadcast, w way, o collective.Options) (operation, error) {
	a, ok := s.prog.Array(name)
	n, root := len(s.workers), st.Root
	if !ok || a.Layout == program.Split || root < 0 || root >= n {
		return operation{}, fmt.Errorf("broadcast: %q is not a replicated or local array, or device %d not in the team", name, root)
	}
	if st.Parts != nil {
		if len(st.Parts) != len(st.Arrays) || len(st.Parts[i]) != n || w.algorithm != program.OneShot {
			return operation{}, fmt.Errorf("broadcast of %q: its parts must be given for each array and device, and go one-shot, not %s", name, w.algorithm)
		}
		parts := make([]collective.Span, n)
		for d, p := range st.Parts[i] {
			parts[d] = collective.Span{Lo: p.Lo * a.Stride, Hi: p.Hi * a.Stride}
		}
		return operation{schedule: collective.Multicast(parts, root), out: name}, nil
	}
	switch w.algorithm {
	case program.OneShot:
		return operation{schedule: collective.Broadcast(a.Units*a.Stride, n, root), out: name}, nil
	case program.TwoShot:
		return operation{schedule: collective.ScatterGather(a.Units*a.Stride, n, root, o), out: name}, nil
	}
	return operation{}, fmt.Errorf("broadcast: unknown algorithm %q", w.algorithm)
}

func (s *Session) send(st program.Send) ([]operation, error) {
	in, ok := s.prog.Array(st.Array)
	out, ok2 := s.prog.Array(st.Into)
	if !ok || !ok2 || st.Array == st.Into || in.Layout == program.Split || out.Layout == program.Split || in.Units*in.Stride != out.Units*out.Stride {
		return nil, fmt.Errorf("send: %q and %q must be two local or replicated arrays of one length", st.Array, st.Into)
	}
	n := len(s.workers)
	var to []int
	pairs := make([]collective.Pair, len(st.Pairs))
	for i, p := range st.Pairs {
		if p.From < 0 || p.From >= n || p.To < 0 || p.To >= n || slices.Contains(to, p.To) {
			return nil, fmt.Errorf("send from %d to %d in a team of %d, or twice to one device", p.From, p.To, n)
		}
		to = append(to, p.To)
		pairs[i] = collective.Pair{From: p.From, To: p.To, N: in.Units * in.Stride}
		if p.Units > 0 {
			if in.Stride != out.Stride || p.At < 0 || p.Into < 0 || max(p.At, p.Into)+p.Units > in.Units {
				return nil, fmt.Errorf("send of units [%d,%d) of %q to unit %d of %q", p.At, p.At+p.Units, st.Array, p.Into, st.Into)
			}
			pairs[i].At, pairs[i].Into, pairs[i].N = p.At*in.Stride, p.Into*in.Stride, p.Units*in.Stride
		}
	}
	return []operation{{schedule: collective.Send(n, pairs), in: in.Name, out: out.Name}}, nil
}

// spans are the shares in elements of arrays with this stride.
func (s *Session) spans(stride int64) []collective.Span {
	out := make([]collective.Span, len(s.prog.Shares))
	for i, share := range s.prog.Shares {
		out[i] = collective.Span{Lo: share.Lo * stride, Hi: share.Hi * stride}
	}
	return out
}

// cutting is how schedules are cut on this team: the slots of one sum fit in one
// binding on every device.
func (s *Session) cutting() collective.Options {
	o := collective.Options{Granule: program.SliceGranule, Group: s.near()}
	if n := len(s.team); n > 1 {
		limit := s.bindingLimit(0)
		for i := range s.team {
			limit = min(limit, s.bindingLimit(i))
		}
		o.Block = max((limit-offsetAlign)/wordBytes/int64(n-1)/o.Granule*o.Granule, o.Granule)
	}
	return o
}

// slotMemory is scratch memory for the slots of all operations of a step.
func (s *Session) slotMemory(list []operation) ([]*vk.Buffer, error) {
	var words int64
	for i := range list {
		if list[i].inPlace {
			continue
		}
		list[i].slots = words
		words += (list[i].schedule.Slots + program.SliceGranule - 1) / program.SliceGranule * program.SliceGranule
	}
	if words == 0 {
		return nil, nil
	}
	return s.scratch("slots", words)
}
