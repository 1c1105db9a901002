package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// Choices remembers the algorithms that were measured, from one launch to the next:
// rows that are compared use one algorithm. It may be used by several goroutines.
type Choices struct {
	mu   sync.Mutex
	ways map[string]chosen
}

// chosen is the fastest of several ways, and what they took: seconds by way, 0 for one
// that was not tried.
type chosen struct {
	way
	ways    []way
	seconds []float64
}

// String names the way and its time, then the others from the fastest on.
func (c chosen) String() string {
	order := make([]int, 0, len(c.ways))
	for i, t := range c.seconds {
		if t > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(c.seconds[a], c.seconds[b]) })
	var others []string
	text := c.way.String()
	for _, i := range order {
		us := fmt.Sprintf("%.3g us", c.seconds[i]*1e6)
		if c.ways[i] == c.way {
			text += ", " + us
		} else {
			others = append(others, c.ways[i].String()+" "+us)
		}
	}
	if len(others) > 0 {
		text += " (" + strings.Join(others, "; ") + ")"
	}
	return text
}

// get returns what was chosen; nil remembers nothing.
func (c *Choices) get(key string) (chosen, bool) {
	if c == nil {
		return chosen{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w, ok := c.ways[key]
	return w, ok
}

func (c *Choices) put(key string, w chosen) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ways == nil {
		c.ways = map[string]chosen{}
	}
	c.ways[key] = w
}

// teamKey names a step on teams like this one: of as many devices of the same models,
// connected alike.
func (s *Session) teamKey(st program.Step, ways []way) string {
	key := fmt.Sprint(stepKey(st), s.spec.Build.Size, ways)
	for _, d := range s.team {
		key += "|" + d.Info().Name
	}
	if r, ok := s.transport.(fmt.Stringer); ok {
		key += "|" + r.String()
	}
	return key
}

// stepKey names a step. Where in its arrays a send begins makes no difference.
func stepKey(st program.Step) string {
	if send, ok := st.(program.Send); ok {
		send.Pairs = slices.Clone(send.Pairs)
		for i := range send.Pairs {
			send.Pairs[i].At, send.Pairs[i].Into = 0, 0
		}
		st = send
	}
	return fmt.Sprintf("%T%+v", st, st)
}

// way is how a collective or an exchange is carried out.
type way struct {
	algorithm string
	chunks    int
	relay     bool // through the session's relay
	inPlace   bool // sums read the slots in the memory of the host
	shader    bool // shaders copy to and from the memory of the host
}

// Where auto has something to choose, in bytes: outside these bounds one way is
// certain to lose, or takes too much memory.
const (
	mostOneShot  = 64 << 20 // received by one device
	leastTwoShot = 16 << 10
	mostDoubling = 16 << 20
	leastChunked = 4 << 20 // of one slice
	mostRelayed  = 256 << 10
	mostInPlace  = 1 << 20
)

// wayOf is how a collective is carried out: as measured, else the first that may be
// tried.
func (s *Session) wayOf(st program.Step) way {
	if w, ok := s.plans[stepKey(st)]; ok {
		return w
	}
	if ways := s.ways(st); len(ways) > 0 {
		return ways[0]
	}
	return way{}
}

// ways lists how a collective may be carried out: by the algorithm asked for, else by
// those that keep the order promised and can be the fastest.
func (s *Session) ways(st program.Step) []way {
	n, size := int64(len(s.team)), s.stepBytes(st)
	switch st := st.(type) {
	case program.AllReduce:
		if st.Order == program.ByChunk {
			return s.chunkWays(st)
		}
		algorithms := asked(st.Algorithm, program.OneShot)
		if auto(st.Algorithm) && n > 1 {
			algorithms = reductions(size, n)
		}
		return s.landed(s.chunked(algorithms, program.TwoShot, st.Chunks, size/n), st.Array, size)
	case program.ReduceScatter:
		return s.chunked(asked(st.Algorithm, program.OneShot), program.OneShot, st.Chunks, size/n)
	case program.AllGather:
		return s.relayed(plain(asked(st.Algorithm, program.OneShot)), size)
	case program.AllToAll:
		return s.relayed([]way{{}}, size)
	case program.Send:
		return s.relayed([]way{{}}, size)
	case program.Exchange:
		return s.relayed([]way{{}}, size)
	case program.Broadcast:
		algorithms := asked(st.Algorithm, program.OneShot)
		if auto(st.Algorithm) && st.Parts == nil && n > 2 && size >= leastTwoShot {
			algorithms = append(algorithms, program.TwoShot)
		}
		return s.relayed(plain(algorithms), size)
	}
	return nil
}

// chunkWays are the ways of a reduction of canonical chunks, whatever algorithm is asked
// for: all combine along the same tree.
func (s *Session) chunkWays(st program.AllReduce) []way {
	in, ok := s.prog.Array(st.Array)
	if !ok || len(s.team) < 2 {
		return nil
	}
	size := s.rootBytes(in)
	algorithms := []string{program.OneShot}
	if size >= leastTwoShot {
		algorithms = append(algorithms, program.TwoShot)
	}
	return s.relayed(plain(algorithms), size)
}

// most is the longest of some arrays.
func most(names []string, bytes func(string) int64) int64 {
	var n int64
	for _, name := range names {
		n = max(n, bytes(name))
	}
	return n
}

// haloBytes is what one device receives at most from an exchange.
func (s *Session) haloBytes(st program.Exchange) int64 {
	var n int64
	for _, name := range st.Arrays {
		if a, ok := s.prog.Array(name); ok {
			depth := st.Depth
			if depth == 0 {
				depth = a.Halo
			}
			n += 2 * depth * a.Stride * wordBytes
		}
	}
	return n
}

// relayed adds, for what is small, the relay where it may be faster, and shaders instead
// of copies through host memory.
func (s *Session) relayed(ways []way, size int64) []way {
	lands, _ := s.transport.(peer.Lander)
	if size > mostRelayed || s.relay == nil && (lands == nil || !lands.Lands()) {
		return ways
	}
	for _, w := range ways {
		if s.relay != nil {
			w.relay = true
			ways = append(ways, w)
		}
		w.shader = true
		ways = append(ways, w)
	}
	return ways
}

// landed adds sums that read small operands in the memory of the host, where the
// algorithm is to send everything at once: then all receivers read the same bytes, which
// lie there in the order of the ranks. The slices of a reduce-scatter do not.
func (s *Session) landed(ways []way, array string, size int64) []way {
	relay, over := s.relay != nil, s.transport
	if relay {
		over = s.relay
	}
	if t, ok := over.(peer.Lander); !ok || !t.Lands() || relay && size > mostRelayed || size > mostInPlace || len(s.arrays[0][array].pieces) > 1 {
		return ways
	}
	for _, w := range ways {
		if w.algorithm == program.OneShot && w.chunks == 1 {
			w.relay, w.inPlace = relay, true
			ways = append(ways, w)
			if size <= mostRelayed {
				w.shader = true
				ways = append(ways, w)
			}
			return ways
		}
	}
	return ways
}

// reductions are the algorithms that auto tries for an all-reduce of size bytes: all
// add in the same order.
func reductions(size, n int64) []string {
	var out []string
	if size*(n-1) <= mostOneShot {
		out = append(out, program.OneShot)
	}
	if size >= leastTwoShot || len(out) == 0 {
		out = append(out, program.TwoShot)
	}
	if n > 2 && size <= mostDoubling {
		out = append(out, program.RecursiveDoubling)
	}
	return out
}

func auto(algorithm string) bool { return algorithm == "" || algorithm == program.Auto }

func asked(algorithm, otherwise string) []string {
	if auto(algorithm) {
		return []string{otherwise}
	}
	return []string{algorithm}
}

func plain(algorithms []string) []way {
	var out []way
	for _, a := range algorithms {
		out = append(out, way{algorithm: a, chunks: 1})
	}
	return out
}

// chunked adds, to one of the algorithms, the numbers of chunks: the one asked for,
// else those that may pay. Chunks let sums overlap copies, which only copy engines do.
func (s *Session) chunked(algorithms []string, which string, chunks int, slice int64) []way {
	var out []way
	for _, a := range algorithms {
		switch {
		case a != which:
			out = append(out, way{algorithm: a, chunks: 1})
		case chunks > 0:
			out = append(out, way{algorithm: a, chunks: chunks})
		default:
			out = append(out, way{algorithm: a, chunks: 1})
			if s.engines() && slice >= leastChunked {
				out = append(out, way{algorithm: a, chunks: 2}, way{algorithm: a, chunks: 4})
			}
		}
	}
	return out
}

// engines says whether copies of this team go on beside the queues.
func (s *Session) engines() bool {
	return s.transport != nil && (s.transport.Name() == peer.CUDA || s.transport.Name() == peer.Mixed)
}

// chooseAlgorithms tries the collectives of an iteration that can be carried out in
// several ways, on this team, with their own arrays, before these are filled.
func (s *Session) chooseAlgorithms(ctx context.Context) error {
	var err error
	if s.spec.Job != nil { // the first of the ways
		return nil
	}
	walk(s.prog.Steps, func(st program.Step) {
		key, ways := stepKey(st), s.ways(st)
		if s.spec.testOnlyWays != nil {
			ways = s.spec.testOnlyWays(ways)
		}
		if _, known := s.plans[key]; known || err != nil || len(s.team) < 2 || len(ways) == 0 {
			return
		}
		w, known := s.spec.Choices.get(s.teamKey(st, ways))
		if !known {
			if w, err = s.fastest(ctx, st, key, ways); err != nil {
				err = fmt.Errorf("choosing an algorithm: %w", err)
				return
			}
			s.spec.Choices.put(s.teamKey(st, ways), w)
		}
		s.plans[key] = w.way
		if wantsAuto(st) {
			s.note("algorithm", fmt.Sprintf("auto chose %s on %d devices", w, len(s.team)))
		}
	})
	return err
}

func (w way) String() string {
	text := w.algorithm
	if w.chunks > 1 {
		text += fmt.Sprintf(" in %d chunks", w.chunks)
	}
	if w.relay {
		text += " through host memory"
	}
	if w.inPlace {
		text += ", read in place"
	}
	if w.shader {
		text += ", copied by shaders"
	}
	return strings.TrimLeft(text, " ,")
}

// wantsAuto says whether a step asks for auto by name.
func wantsAuto(st program.Step) bool {
	switch st := st.(type) {
	case program.AllReduce:
		return st.Algorithm == program.Auto
	case program.ReduceScatter:
		return st.Algorithm == program.Auto
	case program.AllGather:
		return st.Algorithm == program.Auto
	case program.Broadcast:
		return st.Algorithm == program.Auto
	case program.AllToAll, program.Send: // there is no other to ask for
		return true
	}
	return false
}

// Each way runs once to warm up and then up to tries times in turns with the others,
// as long as a turn of all began within turnSeconds. What is small is repeated within a
// try, as a sample repeats it.
const (
	tries       = 9
	turnSeconds = 0.3
	mostRepeats = 16
	repeatBytes = 4 << 20 // that one device handles in a try, about
)

// fastest measures ways of one step, where there are several.
func (s *Session) fastest(ctx context.Context, st program.Step, key string, ways []way) (best chosen, err error) {
	if len(ways) == 1 {
		return chosen{way: ways[0]}, nil
	}
	defer delete(s.plans, key)
	recordings := make([]*recording, len(ways))
	defer func() {
		for _, rec := range recordings {
			err = errors.Join(err, rec.close(s))
		}
	}()
	reps := s.repeats(st)
	for i, w := range ways {
		s.plans[key] = w
		b := s.newBuilder()
		var err error
		for r := 0; r < reps && err == nil; r++ {
			err = b.step(st)
		}
		if errors.Is(err, vk.ErrOutOfMemory) && i > 0 {
			continue
		} else if err != nil {
			return chosen{}, err
		}
		if recordings[i], err = s.record(b, reps, false); err != nil {
			return chosen{}, err
		}
	}
	times := make([][]float64, len(ways))
	var spent float64
	for turn := 0; turn <= tries && spent < turnSeconds; turn++ {
		for i, rec := range recordings {
			if rec == nil {
				continue
			}
			w, err := rec.run(ctx, s)
			if err != nil {
				return chosen{}, err
			}
			t := float64(w.done-w.opened) * 1e-9
			if turn == 1 {
				times[i] = nil // the first one warmed up
			}
			times[i] = append(times[i], t/float64(reps))
			spent += t
		}
	}
	best = chosen{way: ways[0], ways: ways, seconds: make([]float64, len(ways))}
	least := -1.0
	for i, list := range times {
		if len(list) == 0 {
			continue
		}
		slices.Sort(list)
		best.seconds[i] = list[len(list)/2]
		if t := best.seconds[i]; least < 0 || t < least {
			best.way, least = ways[i], t
		}
	}
	return best, nil
}

// repeats is how often a step is repeated in a try.
func (s *Session) repeats(st program.Step) int {
	return int(min(max(repeatBytes/max(s.stepBytes(st), 1), 1), mostRepeats))
}

// stepBytes is about what one device sends or receives in a step.
func (s *Session) stepBytes(st program.Step) int64 {
	bytes := func(name string) int64 {
		if a, ok := s.prog.Array(name); ok {
			return a.Units * a.Stride * wordBytes
		}
		return 0
	}
	switch st := st.(type) {
	case program.AllReduce:
		return bytes(st.Array)
	case program.ReduceScatter:
		return bytes(st.Array)
	case program.AllGather:
		return most(st.Arrays, bytes)
	case program.AllToAll:
		return bytes(st.Array)
	case program.Send:
		return s.sentBytes(st, bytes(st.Array))
	case program.Exchange:
		return s.haloBytes(st)
	case program.Broadcast:
		return most(st.Arrays, bytes)
	}
	return 0
}

// sentBytes is the most that a pair hands over of an array of that many bytes.
func (s *Session) sentBytes(st program.Send, whole int64) (most int64) {
	for _, p := range st.Pairs {
		if a, ok := s.prog.Array(st.Array); ok && p.Units > 0 {
			most = max(most, p.Units*a.Stride*wordBytes)
			continue
		}
		most = whole
	}
	return most
}
