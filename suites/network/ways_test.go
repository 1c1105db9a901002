package network

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestReadWays(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		hops bool
		want string
	}{
		"edge list":           {"# comment\n0 1 7\n2\t1\n\n3,0,5,9\n1 1 4\n2 0 0\n", false, "[[{1 7}] [] [{0 0} {1 1}] [{0 5}]]"},
		"several edges":       {"0 1 7\n0 1 3\n0 1 5\n", false, "[[{1 3}] []]"},
		"hops":                {"0 1 0.5\n1 0 many\n", true, "[[{1 1}] [{0 1}]]"},
		"symmetric real":      {"%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 2.0\n3 3 1\n3 2 1e2\n", false, "[[{1 2}] [{0 2} {2 100}] [{1 100}]]"},
		"pattern":             {"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 3\n1 2\n", false, "[[{1 1} {2 1}] [] []]"},
		"as long as possible": {"0 1 16777214\n1 2 1\n", false, "[[{1 16777214}] [{2 1}] []]"},
	} {
		w, err := readWays(write(t, "graph", c.text), 0, c.hops)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := fmt.Sprint(w.rows()); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestBadWays(t *testing.T) {
	for text, want := range map[string]string{
		"0 1 3\n1 0 0.5\n":        "line 2: weight \"0.5\": give a whole number",
		"0 1 -1\n":                "line 1: weight \"-1\"",
		"0 1 nan\n":               "line 1: weight \"nan\"",
		"\n0 1 16777216\n":        "line 2: weight \"16777216\"",
		"0 1 heavy\n":             "--param hops=1",
		"0 x 1\n":                 "line 1: \"x\" is no node number",
		"0 1 16777215\n1 2 1\n":   "a path may be as long as 16777216",
		"0 0 1\n":                 "1 nodes: give a graph of 2 to 131072",
		"0 1\n131072 0\n":         "line 2: node 131072: numbers go from 0 to 131071",
		"%%MatrixMarket matrix\n": "line 1",
		"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 1.5\n": "line 4: weight \"1.5\"",
		"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1 0\n":     "line 1: complex entries are no weights",
	} {
		b := suitetest.Build(apsp{}, 2, 1)
		b.Input = write(t, "graph", text)
		if _, err := (apsp{}).Build(b); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "graph") {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
	b := suitetest.Weak(apsp{}, 100, 2)
	b.Input = write(t, "graph", "0 1\n")
	if _, err := (apsp{}).Build(b); err == nil || !strings.Contains(err.Error(), "strong") {
		t.Errorf("a file in weak mode: %v", err)
	}
}

// streets is a file of n nodes: a ring, some edges more, some nodes apart.
func streets(t *testing.T, n int) string {
	t.Helper()
	var text strings.Builder
	for i := range n - 5 {
		fmt.Fprintf(&text, "%d %d %d\n%d %d %d\n", i, (i+1)%(n-5), i%7, i, i*37%(n-5), 11+i%50)
	}
	fmt.Fprintf(&text, "%d %d 4\n", n-1, n-3)
	return write(t, "streets", text.String())
}

func TestGivenPaths(t *testing.T) {
	for _, n := range []int{6, 64, 65, 131, 257} {
		b := suitetest.Build(apsp{}, int64(n), 1)
		b.Input = streets(t, n)
		for _, count := range []int{1, 2, 3, 7} {
			for param := range int64(4) {
				b := suitetest.Build(apsp{}, int64(n), count)
				b.Input, b.Params["squaring"], b.Params["hops"] = streets(t, n), param&1, param>>1
				for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
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
		if size, err := (apsp{}).InputSize(b.Input); err != nil || size != int64(n) {
			t.Errorf("%d nodes: %d, %v", n, size, err)
		}
		// The arrays say what the rows say, wherever they are asked.
		m, err := pathsOf(b)
		if err != nil {
			t.Fatal(err)
		}
		p, err := (apsp{}).Build(b)
		if err != nil {
			t.Fatal(err)
		}
		starts, _ := p.Array("starts")
		edges, _ := p.Array("edges")
		at := make([]uint32, m.units*(blockRows+1))
		starts.Source.Make(0, 0, at)
		for i := range m.pitch {
			from, end := at[i/blockRows*(blockRows+1)+i%blockRows], at[i/blockRows*(blockRows+1)+i%blockRows+1]
			var got []edge
			for e := from; e < end; e++ {
				var words [2]uint32
				edges.Source.Make(0, 2*int64(e), words[:1])
				edges.Source.Make(0, 2*int64(e)+1, words[1:])
				got = append(got, edge{words[0], words[1]})
			}
			var want []edge
			if i < m.n {
				want = m.given.row(i)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("row %d: %v, not %v", i, got, want)
			}
		}
		words := make([]uint32, m.pitch*m.pitch)
		for i, row := range floyd(m.edges(b.Seed)) {
			for j, d := range row {
				words[int64(i)*m.pitch+int64(j)] = math.Float32bits(d)
			}
		}
		c := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: map[string][]uint32{"D": words}}}
		if got, err := (apsp{}).Verify(c); err != nil || got.Wrong != "" || got.Checked != m.n*m.n {
			t.Errorf("%+v, %v", got, err)
		}
		words[(m.n-1)*m.pitch+m.n-3] = math.Float32bits(5) // the one street of the last node has length 4
		if got, err := (apsp{}).Verify(c); err != nil || got.Wrong == "" {
			t.Errorf("a longer way passes: %+v, %v", got, err)
		}
	}
}
