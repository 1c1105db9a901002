package comm

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

var workloads = []suites.Workload{allreduce{}, reducescatter{}, allgather{}, broadcast{}, alltoall{}, p2p{}}

// TestOrders uses numbers whose sum depends on the order.
func TestOrders(t *testing.T) {
	stream := suites.Stream{Seed: 11}
	x := make([]float32, 8)
	for i := range x {
		x[i] = stream.F32(int64(i), -1e6, 1e6)
	}
	sum := operators[0]
	for n, want := range map[int]float32{
		1: x[0],
		2: x[0] + x[1],
		3: (x[0] + x[1]) + x[2],
		5: ((x[0] + x[1]) + (x[2] + x[3])) + x[4],
		6: ((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5]),
		7: ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + x[6]),
		8: ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])),
	} {
		if got := sum.inRankOrder(x[:n]); got != want {
			t.Errorf("%d ranks: %v, want %v", n, got, want)
		}
	}
	if got, want := sum.roundRing(x[:4], 1), ((x[2]+x[3])+x[0])+x[1]; got != want {
		t.Errorf("slice 1 round a ring of 4: %v, want %v", got, want)
	}
	y := []float32{3, -2, 5}
	for i, want := range []float32{6, -2, 5, 2} {
		if got := operators[i].inRankOrder(y); got != want {
			t.Errorf("operator %d: %v, want %v", i, got, want)
		}
	}
}

func TestBuildShapes(t *testing.T) {
	for _, w := range workloads {
		for _, n := range []int64{1, 3, 10007, 1 << 28} {
			for _, count := range []int{1, 2, 3, 8} {
				algorithms := append([]string{""}, w.Info().Algorithms...)
				for _, algorithm := range algorithms {
					for _, b := range []suites.Build{suitetest.Build(w, n, count), suitetest.Weak(w, n, count)} {
						b.Algorithm = algorithm
						p, err := w.Build(b)
						if err != nil {
							t.Fatal(err)
						}
						if err := suitetest.Invariants(p, count); err != nil {
							t.Errorf("%s, n %d on %d: %v", w.Info().ID, n, count, err)
						}
					}
				}
			}
		}
	}
}

// TestWorkIsBusBandwidth: the convention of nccl-tests, and the bytes themselves on
// one device.
func TestWorkIsBusBandwidth(t *testing.T) {
	for w, factors := range map[suites.Workload][4]float64{ // 1, 2, 4, 8 devices
		allreduce{}: {1, 1, 1.5, 1.75}, reducescatter{}: {1, .5, .75, .875}, allgather{}: {1, .5, .75, .875},
		alltoall{}: {1, .5, .75, .875}, broadcast{}: {1, 1, 1, 1}, p2p{}: {1, 1, 1, 1},
	} {
		for i, count := range []int{1, 2, 4, 8} {
			p, err := w.Build(suitetest.Build(w, 1000, count))
			if err != nil {
				t.Fatal(err)
			}
			if p.Work != 4000*factors[i] {
				t.Errorf("%s on %d devices: work %v", w.Info().ID, count, p.Work)
			}
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		w      suites.Workload
		change func(*suites.Build)
		want   string
	}{
		{allreduce{}, func(b *suites.Build) { b.Size = 0 }, "above 0"},
		{broadcast{}, func(b *suites.Build) { b.Size = maxSize + 1 }, "above 0"},
		{allreduce{}, func(b *suites.Build) { b.Params["op"] = 4 }, "choose 0 (sum)"},
		{reducescatter{}, func(b *suites.Build) { b.Params["chunks"] = 5 }, "choose 1 to 4"},
		{allreduce{}, func(b *suites.Build) { b.Params["chunks"], b.Algorithm = 2, "ring" }, "leave out --param chunks, or choose --algorithm two-shot"},
		{allreduce{}, func(b *suites.Build) { b.Algorithm = "star" }, "recursive-doubling"},
		{allgather{}, func(b *suites.Build) { b.Algorithm = "tree" }, "choose one of"},
		{p2p{}, func(b *suites.Build) { b.Params["pattern"] = 3 }, "choose 0 (one way)"},
	} {
		b := suitetest.Build(c.w, 10, 2)
		c.change(&b)
		if _, err := c.w.Build(b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.w.Info().ID, err, c.want)
		}
	}
}

func TestPairs(t *testing.T) {
	for _, c := range []struct {
		pattern int64
		count   int
		want    []program.Pair
	}{
		{oneWay, 1, []program.Pair{{}}},
		{oneWay, 3, []program.Pair{{From: 0, To: 1}}},
		{bothWay, 4, []program.Pair{{From: 0, To: 1}, {From: 1, To: 0}, {From: 2, To: 3}, {From: 3, To: 2}}},
		{ring, 3, []program.Pair{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}}},
	} {
		got := p2p{}.pairs(c.pattern, c.count)
		if len(got) != len(c.want) {
			t.Fatalf("%+v: %v", c, got)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%+v: %v", c, got)
			}
		}
	}
}

// outputs is what the devices must hold, made apart from the checks: by the order of
// three ranks written out.
func outputs(w suites.Workload, b suites.Build) map[int][]uint32 {
	x := func(r int, i int64) float32 {
		return suites.Stream{Seed: b.Seed, Workload: 41, Array: idIn + uint32(r)<<16}.F32(i, lo, hi)
	}
	n := b.Size
	out := map[int][]uint32{}
	block := (n + 2) / 3
	if _, ok := w.(alltoall); ok {
		n = 3 * block
	}
	for d := range 3 {
		out[d] = make([]uint32, n)
		for i := range n {
			var v float32
			switch w.(type) {
			case allreduce, reducescatter:
				v = (x(0, i) + x(1, i)) + x(2, i)
			case alltoall:
				v = x(int(i/block), int64(d)*block+i%block)
			default: // all-gather, broadcast, and device 0 to 1
				v = x(0, i)
			}
			out[d][i] = math.Float32bits(v)
		}
	}
	return out
}

// Verify accepts what is right and finds one flipped bit in the last element.
func TestVerify(t *testing.T) {
	for _, w := range workloads {
		for _, n := range []int64{5, 3000, 100003} {
			b := suitetest.Build(w, n, 3)
			p, err := w.Build(b)
			if err != nil {
				t.Fatal(err)
			}
			m := suitetest.Memory{Local: map[string]map[int][]uint32{"out": outputs(w, b)}}
			for _, full := range []bool{true, false} {
				check := &suites.Check{Build: b, Program: p, Full: full, Out: m}
				out, err := w.Verify(check)
				if err != nil || out.Wrong != "" || out.Checked < min(n, suites.MinSampled) {
					t.Fatalf("%s, n %d full %v: %v %+v", w.Info().ID, n, full, err, out)
				}
				for d := range 3 {
					words := m.Local["out"][d]
					words[len(words)-1] ^= 1
					out, err = w.Verify(check)
					words[len(words)-1] ^= 1
					_, scattered := w.(reducescatter) // the memory has no owners: device 0 answers
					_, sent := w.(p2p)
					if looked := !(scattered && d > 0) && !(sent && d != 1); err != nil || (out.Wrong != "") != looked {
						t.Errorf("%s, n %d full %v: a flipped bit on device %d: %v %q", w.Info().ID, n, full, d, err, out.Wrong)
					}
				}
			}
		}
	}
}

// The ring's order is checked as such.
func TestVerifyRing(t *testing.T) {
	const n = 500
	b := suitetest.Build(allreduce{}, n, 3)
	b.Algorithm = program.Ring
	p, err := allreduce{}.Build(b)
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, n)
	for i := range words {
		x := [3]float32{operand(b.Seed, 0, int64(i)), operand(b.Seed, 1, int64(i)), operand(b.Seed, 2, int64(i))}
		r := i / 192 // slices of ceil(500/3) elements, rounded up to 64
		words[i] = math.Float32bits((x[(r+1)%3] + x[(r+2)%3]) + x[r])
	}
	check := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: map[string][]uint32{"out": words}}}
	if out, err := (allreduce{}).Verify(check); err != nil || out.Wrong != "" {
		t.Errorf("%v %s", err, out.Wrong)
	}
	check.Build.Algorithm = program.TwoShot
	if out, err := (allreduce{}).Verify(check); err != nil || out.Wrong == "" {
		t.Errorf("the order of a ring passes as that of the ranks: %v", err)
	}
}
