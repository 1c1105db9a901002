package network

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// rows lists the sources of every row, sorted, and checks the filling.
func rows(t *testing.T, g *graph) [][]uint32 {
	t.Helper()
	out := make([][]uint32, g.n)
	total := int64(0)
	counts := make([]uint32, g.n)
	for i := range g.n {
		groups, n := g.sources(i, nil)
		if n != g.length(i) || int64(len(groups)) < n || int64(len(groups)) >= n+groupEdges {
			t.Fatalf("row %d has %d edges in %d places, length %d", i, n, len(groups), g.length(i))
		}
		for _, x := range groups[n:] {
			if int64(x) != g.n {
				t.Fatalf("row %d is filled with %d", i, x)
			}
		}
		for _, j := range groups[:n] {
			counts[j]++
		}
		total += n
		out[i] = slices.Sorted(slices.Values(groups[:n]))
	}
	if total != g.edges || !slices.Equal(counts, g.out) {
		t.Errorf("%d edges are listed, %d counted; out-degrees agree: %v", total, g.edges, slices.Equal(counts, g.out))
	}
	return out
}

func TestRandomGraph(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 255, 4096, 10007} {
		g, err := randomGraph(18, n, 16, 42, false)
		if err != nil {
			t.Fatal(err)
		}
		list := rows(t, g)
		if n < 4096 {
			continue
		}
		if mean := float64(g.edges) / float64(n); mean < 14 || mean > 17 {
			t.Errorf("%d nodes have a mean degree of %.2f", n, mean)
		}
		// Power laws: a few rows and a few nodes take much more than the mean, some nothing.
		longest, busiest, dangling := 0, uint32(0), 0
		for i := range list {
			longest = max(longest, len(list[i]))
			busiest = max(busiest, g.out[i])
			if g.out[i] == 0 {
				dangling++
			}
		}
		if longest < 200 || busiest < 200 || dangling == 0 {
			t.Errorf("%d nodes: longest row %d, largest out-degree %d, %d dangling", n, longest, busiest, dangling)
		}
	}
	for _, n := range []int64{0, -1, maxNodes + 1} {
		if _, err := randomGraph(18, n, 16, 42, false); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("%d nodes: %v does not say what to choose", n, err)
		}
	}
}

// TestFillAnywhere: any stretch of the edges has the same words as the whole.
func TestFillAnywhere(t *testing.T) {
	g, err := randomGraph(18, 300, 5, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	total := int64(g.ptr[g.n]) * groupEdges
	whole := make([]uint32, total+9)
	g.fill(0, whole)
	for i := range g.n {
		row, _ := g.sources(i, nil)
		if at := int64(g.ptr[i]) * groupEdges; !slices.Equal(row, whole[at:at+int64(len(row))]) {
			t.Fatalf("row %d differs", i)
		}
	}
	for first := range total + 9 {
		part := make([]uint32, min(7, total+9-first))
		g.fill(first, part)
		if !slices.Equal(part, whole[first:first+int64(len(part))]) {
			t.Fatalf("edges from %d on are %v, not %v", first, part, whole[first:])
		}
	}
}

func TestDivisionByEdges(t *testing.T) {
	g, err := randomGraph(18, 20000, 16, 42, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, count := range []int{1, 2, 3, 4, 7, 100} {
		chunks, shares := g.divide(suitetest.Build(pagerank{}, g.n, count), 256)
		lo := int64(0)
		for d, s := range shares {
			if s.Lo != lo || s.Hi < s.Lo {
				t.Fatalf("share %d of %d is %+v", d, count, s)
			}
			lo = s.Hi
			// Chunks have about 4096 edges; boundaries go to the nearest.
			if mean := g.edges / int64(count); count < 8 && (g.groups(s, 256)*groupEdges < mean*8/10 || g.groups(s, 256)*groupEdges > mean*14/10) {
				t.Errorf("share %d of %d has %d edges of %d", d, count, g.groups(s, 256)*groupEdges, g.edges)
			}
		}
		if lo != chunks || chunks*256 <= g.n {
			t.Errorf("shares end at %d of %d chunks", lo, chunks)
		}
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// readGraph reads a file as workloads do, at no time in particular.
func readGraph(path string, sorted bool) (*graph, error) { return inputGraph(path, 0, sorted) }

func TestReadGraph(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"edge list":  {"# comment\n0 1\n2\t1 0.5\n\n3,0\n% more\n1 1\n", "[[3] [0 1 2] [] []]"},
		"general":    {"%%MatrixMarket matrix coordinate pattern general\n% x\n3 3 3\n1 2\n3 2\n2 1\n", "[[1] [0 2] []]"},
		"mark, CRLF": {"\xef\xbb\xbf0 1\r\n2 1\r\n2 1\r\n", "[[] [0 2 2] []]"},
		"other case": {"\xef\xbb\xbf%%matrixmarket MATRIX Coordinate pattern General\r\n3 3 3\r\n1 2\r\n3 2\r\n2 1\r\n", "[[1] [0 2] []]"},
		"symmetric":  {"%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 1.5\n3 3 1\n3 2 -1\n", "[[1] [0 2] [1 2]]"},
	} {
		g, err := readGraph(write(t, "graph", c.text), false)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprint(rows(t, g)); got != c.want {
			t.Errorf("%s: rows %s, want %s", name, got, c.want)
		}
	}
}

func TestBadGraphs(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "the file is empty: give an edge list",
		"\n":                            "no edge",
		"0 1\r1 2\r":                    "line 1: a carriage return within the line",
		"\x1f\x8b\x08\x00 and so on":    "byte 0: this is compressed with gzip: unpack it first and give an edge list",
		"\xff\xfe0\x00 \x001\x00\n\x00": "byte 0: this is text in UTF-16: save it as UTF-8",
		"\x93NUMPY\x01\x00":             "byte 0: this is a NumPy array",
		"0 1\n\x00\x00\n":               "line 2: \"\\x00\\x00\" is no node number",
		"0 NaN\n":                       "line 1: \"NaN\" is no node number",
		"# nothing\n":                   "no edge",
		"0 1\n0 x\n":                    "line 2: \"x\" is no node number",
		"0\n":                           "line 1: two node numbers belong",
		"-1 2\n":                        "line 1: node -1",
		"0 99999999999\n":               "line 1: node 99999999999",
		"0 1e3\n":                       "no node number",
		strings.Repeat("1", 2e6):        "longer than a line",
		"%%MatrixMarket matrix array real general\n2 2\n1\n":                                "line 1",
		"%%MatrixMarket matrix coordinate real general\n% more\n":                           "line 2: the file ends before its rows, columns",
		"%%MatrixMarket matrix coordinate reel general\n3 3 1\n1 2 1\n":                     "line 1: entries of type \"reel\"",
		"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2\n":                       "line 3: 2 numbers: the matrix has 3 an entry",
		"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2 7\n":                  "line 3: 3 numbers: the matrix has 2 an entry",
		"%%MatrixMarket matrix coordinate complex general\n3 3 1\n1 2 7\n":                  "line 3: 3 numbers: the matrix has 4 an entry",
		"%%MatrixMarket matrix coordinate real general\n-3 -3 1\n1 2 1\n":                   "line 2: \"-3 -3 1\": rows, columns and entries belong here",
		"%%MatrixMarket matrix coordinate real triangular\n":                                "symmetry",
		"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n":                     "line 2: 2 rows and 3 columns",
		"%%MatrixMarket matrix coordinate real general\n2 2\n1 1 1\n":                       "line 2",
		"%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n":                     "line 3: node 0",
		"%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n":                     "line 3: node 3",
		"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n":                     "line 3: the file ends after 1 of 2",
		"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n2 2 1\n":              "line 4: more entries",
		"%%MatrixMarket matrix coordinate real general\n999999999999 999999999999 1\n1 1 1": "nodes",
	} {
		if _, err := readGraph(write(t, "graph", text), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// FuzzReadGraph: whatever a file holds, reading ends with a graph or an error.
func FuzzReadGraph(f *testing.F) {
	f.Add("0 1\n1 2\n")
	f.Add("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(dir, "graph")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if g, err := readGraph(path, false); err == nil && g.n < 1e6 {
			rows(t, g)
		}
	})
}

func TestIterationsBuild(t *testing.T) {
	file := write(t, "edges", "0 1\n1 2\n2 0\n3 0\n")
	for _, w := range []suites.Workload{pagerank{}, diffusion{}} {
		for _, n := range []int64{1, 255, 256, 257, 1009, 70001} {
			for _, count := range []int{1, 2, 3} {
				b := suitetest.Build(w, n, count)
				for _, input := range []string{"", file} {
					b.Input = input
					p, err := w.Build(b)
					if err == nil {
						err = suitetest.Invariants(p, count)
					}
					if err != nil {
						t.Fatalf("%s, %d nodes, %d devices: %v", w.Info().ID, n, count, err)
					}
					if input != "" && p.Work != 4*float64(b.Params["steps"]) {
						t.Errorf("%s: %v edges of a file with 4", w.Info().ID, p.Work)
					}
				}
			}
		}
		b := suitetest.Build(w, 100, 1)
		b.Params["steps"] = 3
		if _, err := w.Build(b); err == nil || !strings.Contains(err.Error(), "even") {
			t.Errorf("three steps: %v", err)
		}
		b = suitetest.Weak(w, 100, 2)
		b.Input = file
		if _, err := w.Build(b); err == nil || !strings.Contains(err.Error(), "strong") {
			t.Errorf("a file in weak mode: %v", err)
		}
	}
}

// TestRankReference: a graph whose ranks are known: with a cycle all are equal, and a
// node that all others point at and that points nowhere gets 1/(1+d(n-1)/n...) of all.
func TestRankReference(t *testing.T) {
	g, err := readGraph(write(t, "cycle", "0 1\n1 2\n2 3\n3 0\n"), false)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range rankReference(g, 50) {
		if x < 0.2499 || x > 0.2501 {
			t.Errorf("rank %d of a cycle is %v", i, x)
		}
	}
	g, err = readGraph(write(t, "star", "1 0\n2 0\n3 0\n"), false)
	if err != nil {
		t.Fatal(err)
	}
	x := rankReference(g, 200)
	// y = (1-d)/4 + d x/4 for the leaves, x = (1-d)/4 + d (3y + x/4), x + 3y = 1.
	d := float64(damping)
	y := ((1-d)/4 + d/4) / (1 + 3*d/4)
	if off := x[1] - y; off > 1e-12 || off < -1e-12 || x[0]+3*x[1] < 1-1e-12 {
		t.Errorf("star: %v, leaves should have %v", x, y)
	}
}
