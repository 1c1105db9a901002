package tropical

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestDecodeAgainstAllPaths: no path of a small model weighs more, the first of equals in
// the order of back-pointers wins.
func TestDecodeAgainstAllPaths(t *testing.T) {
	m := newModel(4, 3)
	s := suites.Stream{Seed: 6}
	for round := range int64(20) {
		symbol := make([]uint32, 6)
		for i := range symbol {
			symbol[i] = s.Word(round*6+int64(i)) % symbols
		}
		path, score := m.decode(symbol)
		if m.weigh(symbol, path) != score {
			t.Fatalf("path %v weighs %v, score %v", path, m.weigh(symbol, path), score)
		}
		other := make([]uint32, 6)
		for code := range 729 {
			for i, c := 0, code; i < 6; i, c = i+1, c/3 {
				other[i] = uint32(c % 3)
			}
			if w := m.weigh(symbol, other); w > score {
				t.Fatalf("path %v weighs %v, more than %v with %v", other, w, path, score)
			}
		}
	}
}

// TestDecodeTies: all states alike, so the lowest one is taken everywhere.
func TestDecodeTies(t *testing.T) {
	m := model{4, make([]float32, 16), make([]float32, 4*symbols), make([]float32, 4)}
	path, score := m.decode([]uint32{5, 6, 7})
	if score != 0 || path[0]|path[1]|path[2] != 0 {
		t.Errorf("path %v with %v", path, score)
	}
	// By hand: from state 1 to state 3, each the only one without a loss.
	for i := range m.start {
		m.start[i] = -1
	}
	m.start[1], m.transition[1*4+3] = 0, 2
	if path, score := m.decode([]uint32{0, 0}); path[0] != 1 || path[1] != 3 || score != 2 {
		t.Errorf("path %v with %v, expected 1, 3 with 2", path, score)
	}
}

func TestViterbi(t *testing.T) {
	for _, c := range [][3]int64{{1, 1, 1}, {7, 5, 3}, {129, 16, 9}, {67, 128, 4}} {
		b := suitetest.Build(viterbi{}, c[0], 3)
		b.Params["states"], b.Params["length"] = c[1], c[2]
		for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
			p, err := (viterbi{}).Build(b)
			if err == nil {
				err = suitetest.Invariants(p, 3)
			}
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			m := newModel(b.Seed, c[1])
			in := suites.Stream{Seed: b.Seed, Workload: viterbiNumber, Array: idSymbol}
			out := map[string][]uint32{}
			for u := range c[0] {
				symbol := make([]uint32, c[2])
				for i := range symbol {
					symbol[i] = in.Word(u*c[2]+int64(i)) % symbols
				}
				path, score := m.decode(symbol)
				out["path"] = append(out["path"], path...)
				out["score"] = append(out["score"], math.Float32bits(score))
			}
			check := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: out}}
			if got, err := (viterbi{}).Verify(check); err != nil || got.Wrong != "" || got.Checked != c[0]*(c[2]+1) {
				t.Errorf("%v: %+v, %v", c, got, err)
			}
			for name := range out {
				out[name][c[0]-1] ^= 1
				if got, err := (viterbi{}).Verify(check); err != nil || !strings.HasPrefix(got.Wrong, name+"[") {
					t.Errorf("%v: a wrong %s passes: %+v, %v", c, name, got, err)
				}
				out[name][c[0]-1] ^= 1
			}
		}
	}
	if _, err := (viterbi{}).Build(suitetest.Build(viterbi{}, 0, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
		t.Errorf("size 0: %v", err)
	}
}
