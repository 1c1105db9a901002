package network

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// counted is what through finds for every node of a graph.
func counted(d [][]float32) []uint32 {
	out := make([]uint32, len(d))
	for v := range d {
		for s := range d {
			out[v] += through(int64(s), int64(v), d[s], d[v])
		}
	}
	return out
}

func TestThrough(t *testing.T) {
	for text, want := range map[string][]uint32{
		// A chain in both directions: pairs on different sides, twice.
		"0 1\n1 2\n2 3\n3 4\n1 0\n2 1\n3 2\n4 3\n": {0, 6, 8, 6, 0},
		// A star: every pair of its three points.
		"0 1\n0 2\n0 3\n1 0\n2 0\n3 0\n": {6, 0, 0, 0},
		// Two ways of one length from 0 to 3 count for both nodes in between, a longer one does not.
		"0 1\n0 2\n1 3\n2 3\n0 4 2\n4 3\n": {0, 1, 1, 0, 0},
		// Nodes at distance 0 of one another, both ways: a path to oneself is none.
		"0 1 0\n1 0 0\n1 2 3\n": {1, 1, 0},
	} {
		w, err := readWays(write(t, "graph", text), 0, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := counted(floyd(w.rows())); !slices.Equal(got, want) {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestCountPaths(t *testing.T) {
	for _, n := range []int64{2, 65, 100, 257} {
		for count := 1; count <= 3; count++ {
			for squaring := range int64(2) {
				b := suitetest.Build(apsp{}, n, count)
				b.Params["squaring"], b.Params["count"] = squaring, 1
				p, err := (apsp{}).Build(b)
				if err == nil {
					err = suitetest.Invariants(p, count)
				}
				if err != nil {
					t.Fatalf("%d nodes, %d devices: %v", n, count, err)
				}
			}
		}
	}
	b := suitetest.Build(apsp{}, 8192, 1)
	b.Params["count"] = 1
	if _, err := (apsp{}).Build(b); err == nil || !strings.Contains(err.Error(), "count=0") {
		t.Errorf("a matrix above a binding: %v", err)
	}
}

// TestCountsVerify: right counts pass, all or sampled; one too many does not.
func TestCountsVerify(t *testing.T) {
	b := suitetest.Build(apsp{}, 90, 2)
	b.Params["count"] = 1
	p, err := (apsp{}).Build(b)
	if err != nil {
		t.Fatal(err)
	}
	m, err := pathsOf(b)
	if err != nil {
		t.Fatal(err)
	}
	d := floyd(m.edges(b.Seed))
	words := make([]uint32, m.pitch*m.pitch)
	for i, row := range d {
		for j, x := range row {
			words[int64(i)*m.pitch+int64(j)] = math.Float32bits(x)
		}
	}
	counts := make([]uint32, m.pitch)
	copy(counts, counted(d))
	for _, full := range []bool{true, false} {
		c := &suites.Check{Build: b, Program: p, Full: full, Out: suitetest.Memory{Arrays: map[string][]uint32{"D": words, "through": counts}}}
		if got, err := (apsp{}).Verify(c); err != nil || got.Wrong != "" {
			t.Errorf("%+v, %v", got, err)
		}
		v := suites.SampleIndices(b.Seed, apspNumber, 1, m.n, sampledVia)[3]
		counts[v]++
		if got, err := (apsp{}).Verify(c); err != nil || got.Wrong == "" {
			t.Errorf("full %v: a pair too many passes: %+v, %v", full, got, err)
		}
		counts[v]--
	}
}
