package peak

import (
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestUnitsBuild(t *testing.T) {
	n := 0
	for _, w := range suites.All() {
		u, ok := w.(units)
		if both, more := w.(duplex); more {
			u, ok = both.units, true
		}
		if !ok {
			continue
		}
		n++
		for _, size := range []int64{1, 3, 255, u.info.Sizes.S, u.info.Sizes.M, u.info.Sizes.L} {
			for _, count := range []int{1, 2, 3, 7} {
				b := suitetest.Build(w, size, count)
				p, err := w.Build(b)
				if err == nil {
					err = suitetest.Invariants(p, count)
				}
				if err != nil {
					t.Fatalf("%s, size %d, count %d: %v", u.info.ID, size, count, err)
				}
			}
		}
		for _, size := range []int64{0, -1, u.most + 1} {
			if _, err := w.Build(suitetest.Build(w, size, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
				t.Errorf("%s, size %d: %v does not say what to choose", u.info.ID, size, err)
			}
		}
	}
	if n < 9 {
		t.Errorf("%d workloads", n)
	}
}

// follow is a chase through the words of the array itself.
func follow(held []uint32, u int64) uint32 {
	at := nodeWords * (uint32(u) * 0x9E3779B1 % uint32(len(held)/nodeWords))
	for range hops {
		at = held[at]
	}
	return at
}

// counted are the counters of a unit, member after member.
func counted(counters, repeat int) []uint32 {
	out := make([]uint32, counters)
	for m := range members {
		for k := range repeat {
			out[m%counters] += uint32(m + 3*k + 1)
		}
	}
	return out
}

func TestUnitsVerify(t *testing.T) {
	held := make([]uint32, nodeWords<<11)
	chain(1<<11, 0, held)
	for id, x := range map[string]struct {
		params map[string]int64
		unit   func(u int64) []uint32
	}{
		"peak/latency-l2":  {nil, func(u int64) []uint32 { return []uint32{follow(held, u)} }},
		"peak/atomic-same": {map[string]int64{"repeat": 5}, func(int64) []uint32 { return counted(1, 5) }},
		"peak/atomic-own":  {map[string]int64{"repeat": 3}, func(int64) []uint32 { return counted(members, 3) }},
		"peak/atomic-shared-same": {map[string]int64{"repeat": 1}, func(u int64) []uint32 {
			out := make([]uint32, groupSize)
			for i := range out {
				out[i] = uint32(u) + groupSize*(groupSize+1)/2 + uint32(i)
			}
			return out
		}},
	} {
		w, err := suites.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		b := suitetest.Build(w, 5, 2)
		for name, v := range x.params {
			b.Params[name] = v
		}
		p, err := w.Build(b)
		if err != nil {
			t.Fatal(err)
		}
		var words []uint32
		for u := range p.Units {
			words = append(words, x.unit(u)...)
		}
		name := w.(units).out
		c := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: map[string][]uint32{name: words}}}
		if got, err := w.Verify(c); err != nil || got.Wrong != "" || got.Checked != int64(len(words)) {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
		words[len(words)-1] ^= 1
		if got, err := w.Verify(c); err != nil || !strings.HasPrefix(got.Wrong, name+"[") {
			t.Errorf("%s: a wrong bit passes: %+v, %v", id, got, err)
		}
	}
}

func TestChainPassesAllNodes(t *testing.T) {
	for _, nodes := range []int64{sharedNodes, 1 << 11, 1 << 15} {
		seen, at := make([]bool, nodes), uint32(5)
		for range nodes {
			if seen[at] {
				t.Fatalf("%d nodes: %d is passed twice", nodes, at)
			}
			seen[at], at = true, next(at, nodes)
		}
	}
	// Any part of the array is the same as in the whole.
	whole := make([]uint32, nodeWords*64)
	chain(64, 0, whole)
	for _, first := range []int64{1, 31, 32, 33, 1000} {
		part := []uint32{9, 9, 9}
		for range 100 {
			part = append(part, 7)
		}
		chain(64, first, part)
		for i, w := range part {
			if w != whole[first+int64(i)] {
				t.Fatalf("from %d: word %d is %d, expected %d", first, i, w, whole[first+int64(i)])
			}
		}
	}
}

func TestCachesAreAddedUp(t *testing.T) {
	// One round of one unit, written as the shader is.
	w, err := suites.Find("peak/l2")
	if err != nil {
		t.Fatal(err)
	}
	b := suitetest.Build(w, 2, 1)
	b.Params["repeat"] = 1
	p, err := w.Build(b)
	if err != nil {
		t.Fatal(err)
	}
	c := &suites.Check{Build: b, Program: p, Full: true}
	x := word(c, program.Source{Kind: program.PhiloxRaw, ID: idX})
	var words []uint32
	for u := range int64(2) {
		for i := range int64(groupSize) {
			var sum [4]uint32
			for j := range int64(16) {
				v := (int64(uint32(u)*0x9E3779B1>>16)*groupSize + i + groupSize*j) % (1 << 16)
				for l := range sum {
					sum[l] += x(4*v + int64(l))
				}
			}
			words = append(words, gathered(sum))
		}
	}
	c.Out = suitetest.Memory{Arrays: map[string][]uint32{"sums": words}}
	if got, err := w.Verify(c); err != nil || got.Wrong != "" {
		t.Errorf("%+v, %v", got, err)
	}
}
