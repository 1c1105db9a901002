package engine

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// rankTree adds, or takes extremes, level by level: i absorbs i+s for s = 1, 2, 4...
func rankTree(op program.Op, x []float32) float32 {
	x = slices.Clone(x)
	for s := 1; s < len(x); s *= 2 {
		for i := 0; i+s < len(x); i += 2 * s {
			x[i] = apply(op, x[i], x[i+s])
		}
	}
	return x[0]
}

func apply(op program.Op, a, b float32) float32 {
	switch op {
	case program.Min:
		return min(a, b)
	case program.Max:
		return max(a, b)
	}
	return a + b
}

// ringSum is what a ring makes of the slice of rank r.
func ringSum(op program.Op, x []float32, r int) float32 {
	n := len(x)
	v := x[(r+1)%n]
	for k := 2; k <= n; k++ {
		v = apply(op, v, x[(r+k)%n])
	}
	return v
}

// reduction is one way to reduce that a test tries.
type reduction struct {
	algorithm string
	chunks    int
	op        program.Op
	average   bool
}

func (r reduction) name() string { return fmt.Sprint("out-", r.algorithm, r.chunks, r.op, r.average) }

func everyReduction() []reduction {
	return []reduction{
		{program.OneShot, 0, program.Sum, false}, {program.OneShot, 0, program.Sum, true}, {program.OneShot, 0, program.Min, false},
		{program.TwoShot, 1, program.Sum, false}, {program.TwoShot, 2, program.Max, false}, {program.TwoShot, 4, program.Sum, true},
		{program.Ring, 0, program.Sum, false}, {program.Ring, 0, program.Sum, true},
		{program.RecursiveDoubling, 0, program.Sum, false}, {program.RecursiveDoubling, 0, program.Sum, true},
		{program.Tree, 0, program.Sum, false}, {program.Tree, 0, program.Max, false}, {program.Auto, 0, program.Sum, false},
	}
}

// reduceEverything is one program with an all-reduce of every kind over n elements a
// device, one of them in place, and its check.
func reduceEverything(count int, n, stride int64) fixture {
	p := &program.Program{
		Units: int64(count), Shares: divide(int64(count), count), CountDependent: true,
		Arrays: []program.Array{
			{Name: "x", Layout: program.Local, Units: n / stride, Stride: stride, Source: program.Random(5, -1.1, 1.3)},
			{Name: "place", Layout: program.Local, Units: n / stride, Stride: stride, Source: program.Random(5, -1.1, 1.3), Output: true},
		},
		Steps:   []program.Step{program.AllReduce{Array: "place", Into: "place", Algorithm: program.TwoShot, Chunks: 2}},
		Evolves: true,
	}
	all := everyReduction()
	for _, r := range all {
		p.Arrays = append(p.Arrays, program.Array{Name: r.name(), Layout: program.Local, Units: n / stride, Stride: stride, Output: true})
		p.Steps = append(p.Steps, program.AllReduce{Array: "x", Into: r.name(), Op: r.op, Average: r.average, Algorithm: r.algorithm, Chunks: r.chunks})
	}
	check := func(c *suites.Check) string {
		parts := program.RankSlices(n, count)
		x, wants := make([]float32, count), map[string][]uint32{}
		for i := range n {
			for r := range x {
				x[r] = suites.Stream{Seed: 7, Workload: 99, Array: 5 + uint32(r)<<16}.F32(i, -1.1, 1.3)
			}
			add := func(name string, v float32) { wants[name] = append(wants[name], math.Float32bits(v)) }
			add("place", rankTree(program.Sum, x))
			for _, r := range all {
				v := rankTree(r.op, x)
				if r.algorithm == program.Ring {
					v = ringSum(r.op, x, slices.IndexFunc(parts, func(s program.Share) bool { return i >= s.Lo && i < s.Hi }))
				}
				if r.average {
					v /= float32(count)
				}
				add(r.name(), v)
			}
		}
		for name, want := range wants {
			for d := range count {
				if wrong := expect(name, d, n, func(i int64) uint32 { return want[i] })(c); wrong != "" {
					return fmt.Sprintf("%d devices, %d elements: %s", count, n, wrong)
				}
			}
		}
		return ""
	}
	return fixture{p, check}
}

// Every algorithm and operator, bit for bit, by every transport of software devices.
func TestAllReduceByRank(t *testing.T) {
	for _, count := range teamSizes {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			_, adapters := vktest.Team(t, fmt.Sprint(count))
			for i, n := range edgeSizes {
				outcome(t, reduceEverything(count, n, 1), adapters, Spec{Transport: []string{"host", "staging"}[i%2]})
			}
		})
	}
}

// Arrays in several buffers, and slots that do not fit one binding.
func TestAllReduceInPieces(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	for _, n := range []int64{3 * 1111, 3 * 4096} {
		outcome(t, reduceEverything(3, n, 3), adapters, Spec{testOnlyBufferLimit: 4 * 3 * 700, testOnlyBindingLimit: 8192})
	}
}

// Sums that read the slots in host memory, where they arrive: the same bits. The ways
// to choose from must hold that one.
func TestReadInPlace(t *testing.T) {
	for _, count := range teamSizes {
		if count == 1 {
			continue
		}
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			_, adapters := vktest.Team(t, fmt.Sprint(count))
			found, shader := 0, false
			only := func(ways []way) []way {
				for _, w := range ways {
					if w.inPlace && w.shader == shader {
						found++
						return []way{w}
					}
				}
				return ways[:1]
			}
			for i, n := range edgeSizes {
				found, shader = 0, i%2 == 0 && n <= mostRelayed/wordBytes
				outcome(t, reduceEverything(count, n, 1), adapters, Spec{Transport: "host", testOnlyWays: only})
				if want := 4; n <= 200_000 && found != want { // three one-shot and auto
					t.Errorf("%d of the all-reduces of %d elements may be read in place, want %d", found, n, want)
				}
			}
		})
	}
}

// The distance between slots, with and without a slot of the rank's own among them;
// slots that do not rise in the order of the ranks are refused.
func TestSlotDistances(t *testing.T) {
	for _, c := range []struct {
		at                  []int64
		own                 int
		ok                  bool
		first, stride, skip int64
	}{
		{[]int64{0, 64, 128, 192}, 0, true, 64, 64, 0},
		{[]int64{0, -1, 64, 128}, 1, true, 0, 64, 0},
		{[]int64{0, -1, 128, 192}, 1, true, 0, 64, 64},
		{[]int64{0, 64, -1, 192}, 2, true, 0, 64, 64},
		{[]int64{0, 64, 128, -1}, 3, true, 0, 64, 0},
		{[]int64{-1, 256, 128}, 0, false, 0, 0, 0},
		{[]int64{0, -1, 64, 256}, 1, false, 0, 0, 0},
		{[]int64{0, 64}, -1, false, 0, 0, 0},
	} {
		got := combination{own: c.own}
		if ok := got.distances(c.at); ok != c.ok || ok && (got.slots != c.first || got.stride != c.stride || got.skip != c.skip) {
			t.Errorf("%+v: %v, %+v", c, ok, got)
		}
	}
}

// mover is a program of the collectives that move or divide, over uneven shares.
func mover(count int, units int64) fixture {
	const stride, halo = 3, 2
	shares := divide(units, count)
	blocks := int64(count) * 5
	parts := make([]program.Share, count) // they overlap, and the first is empty
	for d := range parts {
		parts[d] = program.Share{Lo: int64(d), Hi: min(int64(d)*50, 77)}
	}
	p := &program.Program{
		Units: units, Shares: shares, CountDependent: true,
		Arrays: []program.Array{
			{Name: "x", Layout: program.Local, Units: units, Stride: stride, Source: program.Random(5, -1.1, 1.3)},
			{Name: "scattered", Layout: program.Split, Units: units, Stride: stride, Halo: halo, Output: true},
			{Name: "ringed", Layout: program.Split, Units: units, Stride: stride, Output: true},
			{Name: "whole", Layout: program.Replicated, Units: units, Stride: stride, Elem: program.U32, Source: program.Source{Kind: program.Iota}, Output: true},
			{Name: "round", Layout: program.Replicated, Units: units, Stride: stride, Elem: program.U32, Output: true},
			{Name: "part", Layout: program.Split, Units: units, Stride: stride, Halo: 1, Elem: program.U32, Source: program.Source{Kind: program.Iota}},
			{Name: "direct", Layout: program.Replicated, Units: units, Stride: stride, Elem: program.U32, Output: true},
			{Name: "cast", Layout: program.Local, Units: 77, Stride: stride, Elem: program.U32, Source: program.Source{Kind: program.PhiloxRaw, ID: 3}, Output: true},
			{Name: "panel", Layout: program.Local, Units: 77, Stride: stride, Elem: program.U32, Source: program.Source{Kind: program.PhiloxRaw, ID: 6}, Output: true, Distinct: true},
			{Name: "blocks", Layout: program.Local, Units: blocks, Stride: stride, Elem: program.U32, Source: program.Source{Kind: program.PhiloxRaw, ID: 4}},
			{Name: "turned", Layout: program.Local, Units: blocks, Stride: stride, Elem: program.U32, Output: true, Distinct: true},
			{Name: "sent", Layout: program.Local, Units: units, Stride: stride, Output: true, Distinct: true},
		},
		Steps: []program.Step{
			program.ReduceScatter{Array: "x", Into: "scattered", Algorithm: program.OneShot, Chunks: 3, Average: true},
			program.ReduceScatter{Array: "x", Into: "ringed", Op: program.Max, Algorithm: program.Ring},
			program.AllGather{Arrays: []string{"whole"}},
			program.AllGather{Arrays: []string{"round"}, From: []string{"part"}, Algorithm: program.Ring},
			program.AllGather{Arrays: []string{"direct"}, From: []string{"part"}},
			program.Broadcast{Arrays: []string{"cast"}, Root: count - 1, Algorithm: program.TwoShot},
			program.Broadcast{Arrays: []string{"panel"}, Root: count - 1, Parts: [][]program.Share{parts}},
			program.AllToAll{Array: "blocks", Into: "turned"},
			program.Send{Array: "x", Into: "sent", Pairs: rounds(count)},
		},
	}
	in := func(rank int, i int64) float32 {
		return suites.Stream{Seed: 7, Workload: 99, Array: 5 + uint32(rank)<<16}.F32(i, -1.1, 1.3)
	}
	word := func(id uint32, rank int, i int64) uint32 {
		return suites.Stream{Seed: 7, Workload: 99, Array: id + uint32(rank)<<16}.Word(i)
	}
	check := func(c *suites.Check) string {
		x := make([]float32, count)
		reduced := func(op program.Op, i int64) float32 {
			for r := range x {
				x[r] = in(r, i)
			}
			return rankTree(op, x)
		}
		wrongs := []string{
			global(c, "scattered", units*stride, func(i int64) uint32 { return math.Float32bits(reduced(program.Sum, i) / float32(count)) }),
			global(c, "ringed", units*stride, func(i int64) uint32 { return math.Float32bits(reduced(program.Max, i)) }),
		}
		for d := range count {
			block := blocks / int64(count) * stride
			wrongs = append(wrongs,
				expect("whole", d, units*stride, func(i int64) uint32 { return uint32(i) })(c),
				expect("round", d, units*stride, func(i int64) uint32 { return uint32(i) })(c),
				expect("direct", d, units*stride, func(i int64) uint32 { return uint32(i) })(c),
				expect("cast", d, 77*stride, func(i int64) uint32 { return word(3, count-1, i) })(c),
				expect("panel", d, 77*stride, func(i int64) uint32 {
					if unit := i / stride; unit >= parts[d].Lo && unit < parts[d].Hi {
						return word(6, count-1, i)
					}
					return word(6, d, i)
				})(c),
				expect("turned", d, blocks*stride, func(i int64) uint32 { return word(4, int(i/block), int64(d)*block+i%block) })(c),
				expect("sent", d, units*stride, func(i int64) uint32 { return math.Float32bits(in((d+1)%count, i)) })(c))
		}
		for _, w := range wrongs {
			if w != "" {
				return fmt.Sprintf("%d devices, %d units: %s", count, units, w)
			}
		}
		return ""
	}
	return fixture{p, check}
}

// rounds sends round the team, against the ranks.
func rounds(count int) []program.Pair {
	out := make([]program.Pair, count)
	for d := range out {
		out[d] = program.Pair{From: (d + 1) % count, To: d}
	}
	return out
}

// global compares a divided array by global index.
func global(c *suites.Check, array string, n int64, want func(i int64) uint32) string {
	words, err := c.Out.Words(array, 0, n)
	if err != nil {
		return err.Error()
	}
	for i, w := range words {
		if x := want(int64(i)); w != x {
			return fmt.Sprintf("%s[%d] is %#x, want %#x", array, i, w, x)
		}
	}
	return ""
}

func TestMovingCollectives(t *testing.T) {
	for _, count := range teamSizes {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			_, adapters := vktest.Team(t, fmt.Sprint(count))
			for i, n := range edgeSizes {
				outcome(t, mover(count, n), adapters, Spec{Transport: []string{"staging", "host"}[i%2]})
				outcome(t, mover(count, n), adapters, Spec{Transport: "host", testOnlyWays: onlyShaders})
			}
		})
	}
}

// onlyShaders leaves the ways that copy by shaders, where there are any.
func onlyShaders(ways []way) []way {
	some := slices.DeleteFunc(slices.Clone(ways), func(w way) bool { return !w.shader })
	if len(some) == 0 {
		return ways[:1]
	}
	return some[:1]
}

// What auto says it chose, beside what.
func TestChosenNamesOthers(t *testing.T) {
	ways := []way{{algorithm: program.OneShot, chunks: 1}, {algorithm: program.TwoShot, chunks: 2}, {algorithm: program.OneShot, chunks: 1, relay: true, inPlace: true, shader: true}, {relay: true}}
	got := chosen{ways[2], ways, []float64{3.3e-5, 0, 2.04e-5, 0.5}}.String()
	want := "one-shot through host memory, read in place, copied by shaders, 20.4 us (one-shot 33 us; through host memory 500 ms)"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (chosen{way: ways[1]}).String(); got != "two-shot in 2 chunks" {
		t.Errorf("%q", got)
	}
	// A send and an all-to-all have no algorithm to name.
	sends := []way{{}, {shader: true}}
	got = chosen{sends[0], sends, []float64{9.9949e-4, 1.26e-2}}.String()
	if want := "plain copies, 999 us (copied by shaders 12.6 ms)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A halo exchange behind which the interior is computed: the same outcome as one
// after the other.
func TestOverlap(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	for count := 1; count <= 3; count++ {
		shares := divide(30, count)
		launches := make([]program.Launch, count)
		for d, s := range shares {
			launches[d] = program.Launch{First: 1, Units: s.Len() - 2, Push: []uint32{0}}
		}
		p := &program.Program{
			Units: 30, Shares: shares,
			Arrays: []program.Array{
				{Name: "a", Elem: program.U32, Layout: program.Split, Units: 30, Stride: 64, Halo: 1, Wrap: true, Source: program.Source{Kind: program.Iota}, Output: true},
				{Name: "b", Elem: program.F32, Layout: program.Split, Units: 30, Stride: 64, Source: program.Source{Kind: program.Const, Word: math.Float32bits(2)}},
				{Name: "c", Elem: program.F32, Layout: program.Split, Units: 30, Stride: 64, Source: program.Source{Kind: program.Zero}, Output: true},
			},
			Kernels: []program.Kernel{{Name: "add", Shader: "memory/vector_add"}},
		}
		body := program.Dispatch{Label: "interior", Kernel: "add", On: launches,
			Bind: []program.Binding{{Array: "b"}, {Array: "b"}, {Array: "c", Access: program.Write}}}
		for d := range body.On {
			body.On[d] = program.Launch{First: 1, Units: shares[d].Len() - 2, Mul: 64, Div: 256}
		}
		p.Steps = []program.Step{program.Overlap{Comm: program.Exchange{Arrays: []string{"a"}}, Body: []program.Dispatch{body}}}
		for d, s := range shares {
			halo := expect("a", d, (s.Len()+2)*64, func(i int64) uint32 { return uint32((s.Lo-1+i/64+30)%30*64 + i%64) })
			outcome(t, fixture{p, halo}, adapters[:count], Spec{})
		}
		overlapShows(t, fixture{p, nil}, adapters[:count])
	}
}

// overlapShows looks for the body of an overlap beside a hand-over, in what is recorded
// and in the spans, whether all repetitions have timestamps or the first ones.
func overlapShows(t *testing.T, f fixture, adapters []*vk.Adapter) {
	t.Helper()
	s, err := Launch(t.Context(), Spec{Workload: f, Adapters: adapters, Transport: "host"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	s.shortReps = timedReps // as on GPUs
	for _, reps := range []int{timedReps, 3 * timedReps} {
		sample, err := s.Sample(t.Context(), reps)
		if err != nil {
			t.Fatal(err)
		}
		rec, tails, computes := s.main, 0, 0
		expected := 0 // spans begin at the gate, figures behind the phases that are skipped
		for p := range rec.timedPhases() {
			expected++
			if rec.present[p][0].tail {
				expected++
				if p >= rec.skip {
					tails++
				}
			}
		}
		for _, span := range sample.Spans {
			if span.Device == adapters[0].Info().Index && span.Kind == "compute" {
				computes++
			}
		}
		switch {
		case len(adapters) == 1 && (tails > 0 || rec.counted != reps):
			t.Errorf("%d tails in %d of %d repetitions of one device", tails, rec.counted, reps)
		case len(adapters) > 1 && (tails != timedReps || rec.counted != timedReps):
			t.Errorf("%d tails in %d of %d repetitions", tails, rec.counted, reps)
		case len(sample.Spans) > 0 && len(sample.Spans) < maxSpans && computes != expected:
			t.Errorf("%d spans of computing, want %d of %d phases and their tails", computes, expected, rec.timedPhases())
		case sample.Times == nil || sample.Times.Compute[0] <= 0:
			t.Errorf("times %+v", sample.Times)
		}
	}
}
