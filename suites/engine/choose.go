package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// chooseAlgorithms tries the collectives of an iteration that can be carried out in
// several ways, on this team, with their own arrays, before these are filled. Of a job the
// process that leads says what is tried and chooses.
func (s *Session) chooseAlgorithms(ctx context.Context) error {
	var err error
	walk(s.prog.Steps, func(st program.Step) {
		key := stepKey(st)
		if _, known := s.plans[key]; known || err != nil || len(s.team) < 2 || !several(st) {
			return
		}
		ways := s.ways(st)
		if s.spec.testOnlyWays != nil {
			ways = s.spec.testOnlyWays(ways)
		}
		if ways, err = shareWays(ctx, s, ways); err != nil || len(ways) == 0 {
			return
		}
		w, known := s.spec.Choices.get(s.teamKey(st, ways))
		if known, err = share(ctx, s, known); err != nil {
			return
		}
		if !known {
			if w, err = s.fastest(ctx, st, key, ways); err != nil {
				err = fmt.Errorf("choosing an algorithm: %w", err)
				return
			}
			s.spec.Choices.put(s.teamKey(st, ways), w)
		}
		one, failed := shareWays(ctx, s, []way{w.way})
		if err = failed; err != nil {
			return
		}
		s.plans[key] = one[0]
		if wantsAuto(st) && s.leads() {
			s.note("algorithm", fmt.Sprintf("auto chose %s on %d devices", w, len(s.team)))
		}
	})
	return err
}

// several says whether a step may be one that can be carried out in several ways.
func several(st program.Step) bool {
	switch st.(type) {
	case program.AllReduce, program.ReduceScatter, program.AllGather, program.AllToAll, program.Send, program.Exchange, program.Broadcast:
		return true
	}
	return false
}

// shareWays gives ways of the process that leads to all.
func shareWays(ctx context.Context, s *Session, ways []way) ([]way, error) {
	if s.spec.Job == nil {
		return ways, nil
	}
	type wire struct { // way as it travels
		Algorithm              string
		Chunks                 int
		Relay, InPlace, Shader bool
	}
	var list []wire
	for _, w := range ways {
		list = append(list, wire{w.algorithm, w.chunks, w.relay, w.inPlace, w.shader})
	}
	list, err := share(ctx, s, list)
	var out []way
	for _, w := range list {
		out = append(out, way{w.Algorithm, w.Chunks, w.Relay, w.InPlace, w.Shader})
	}
	return out, err
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
	if text = strings.TrimLeft(text, " ,"); text == "" {
		return "plain copies"
	}
	return text
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
		fits := !errors.Is(err, vk.ErrOutOfMemory) || i == 0
		if fits && err != nil {
			return chosen{}, err
		}
		if fits, err = s.everyone(ctx, fits); err != nil {
			return chosen{}, err
		}
		if !fits {
			continue
		}
		if recordings[i], err = s.record(ctx, b, reps, false); err != nil {
			return chosen{}, err
		}
	}
	times := make([][]float64, len(ways))
	var spent float64
	for turn, more := 0, true; more; turn++ {
		took := make([]float64, len(ways)) // 0: not tried
		for i, rec := range recordings {
			if rec == nil {
				continue
			}
			w, err := rec.run(ctx, s)
			if err != nil {
				return chosen{}, err
			}
			took[i] = float64(w.done-w.opened) * 1e-9
		}
		parts, err := gather(ctx, s, took)
		if err != nil {
			return chosen{}, err
		}
		for i := range ways {
			var t float64 // of the process that took longest
			for _, part := range parts {
				t = max(t, part[i])
			}
			if turn == 1 {
				times[i] = nil // the first one warmed up
			}
			if t > 0 {
				times[i] = append(times[i], t/float64(reps))
			}
			spent += t
		}
		if more, err = share(ctx, s, turn < tries && spent < turnSeconds); err != nil {
			return chosen{}, err
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

// everyone says whether something holds in all processes.
func (s *Session) everyone(ctx context.Context, here bool) (bool, error) {
	parts, err := gather(ctx, s, here)
	if err != nil {
		return false, err
	}
	return share(ctx, s, !slices.Contains(parts, false))
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
