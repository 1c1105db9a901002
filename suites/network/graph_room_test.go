package network

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// allocated is what a function allocates in all.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// withMemory has readers believe that so much memory is free.
func withMemory(t *testing.T, free int64) {
	old := freeMemory
	freeMemory = func() int64 { return free }
	t.Cleanup(func() { freeMemory = old })
}

// Small files that announce much are refused for next to no memory, by the line that does.
func TestLargeAnnouncements(t *testing.T) {
	const market = "%%MatrixMarket matrix coordinate pattern general\n"
	for _, c := range []struct{ text, want, paths string }{
		{"0 67108863\n", "line 1: 67108864 nodes and 1 edges", "line 1: node 67108863: numbers go from 0 to 131071"},
		{"0 1\n# more\n2 3000000\n1 2\n", "line 3: 3000001 nodes and 3 edges", "line 3: node 3000000: numbers go from 0 to 131071"},
		{"0 67108864\n", "line 1: node 67108864: numbers go from 0 to 67108863", "line 1: node 67108864"},
		{market + "67108864 67108864 1\n1 1\n", "line 2: 67108864 nodes", "line 2: 67108864 nodes: give a graph of 2 to 131072"},
		{market + "4 4 900000000000\n1 1\n", "line 2: 900000000000 entries are announced, a file of ", "line 2: 900000000000 entries"},
		{market + "99999999999 99999999999 3\n1 1\n", "line 2: 99999999999 nodes", "line 2: 99999999999 nodes: give a graph of 2 to 131072"},
	} {
		for _, w := range []suites.Workload{apsp{}, pagerank{}, diffusion{}, gnn{}} {
			path := write(t, "graph", c.text)
			var err, built error
			took := allocated(func() {
				_, err = w.(suites.InputSizer).InputSize(path)
				b := suitetest.Build(w, 1, 1)
				b.Input = path
				_, built = w.Build(b)
			})
			want := c.want
			if w == (apsp{}) {
				want = c.paths
			}
			for _, err := range []error{err, built} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, %q: %v, want %q", w.Info().ID, c.text, err, want)
				}
			}
			if took > 16<<20 {
				t.Errorf("%s, %q takes %d bytes", w.Info().ID, c.text, took)
			}
		}
	}
}

// What a workload or the memory cannot hold is refused by the first line that shows it: what
// follows, here no edges at all and more than a megabyte of them, is not read.
func TestRefusedWhereItShows(t *testing.T) {
	const market = "%%MatrixMarket matrix coordinate pattern general\n"
	rest := strings.Repeat("1 2\n", 1<<19) + "here the file is no longer a graph\n"
	for _, c := range []struct{ text, want string }{
		{market + "131073 131073 400000\n" + rest, "line 2: 131073 nodes: give a graph of 2 to 131072"},
		{"% streets\n7 131071\n131072 7\n" + rest, "line 3: node 131072: numbers go from 0 to 131071"},
		{"1 2\n1 -2\n" + rest, "line 2: node -2"},
	} {
		path := write(t, "graph", c.text)
		var err error
		took := allocated(func() { _, err = (apsp{}).InputSize(path) })
		if err == nil || !strings.Contains(err.Error(), c.want) || took > 1<<18 {
			t.Errorf("%.60q: %v for %d bytes, want %q", c.text, err, took, c.want)
		}
	}
	withMemory(t, 8<<20)
	for _, c := range []struct {
		text, want string
		most       uint64
	}{
		{market + "300000 300000 400000\n" + rest, "line 2: 300000 nodes and 400000 edges or more: 8388608 bytes of memory are free", 1 << 18},
		{strings.Replace(market, "general", "symmetric", 1) + "9 9 200000\n" + rest, "line 2: 9 nodes and 200000 edges or more", 1 << 18},
		{rest, "line 349522: 3 nodes and 349522 edges or more: 8388608 bytes of memory are free, which hold 349521", 16 << 20}, // all that growing took; with the race detector slices.Grow makes what it appends
		{"0 250000\n" + rest, "line 16191: 250001 nodes and 16191 edges or more", 1 << 19},
	} {
		path := write(t, "graph", c.text)
		var err error
		took := allocated(func() { _, err = (pagerank{}).InputSize(path) })
		if err == nil || !strings.Contains(err.Error(), c.want) || took > c.most {
			t.Errorf("%.60q: %v for %d bytes, want %q", c.text, err, took, c.want)
		}
	}
	withMemory(t, 1<<20)
	if _, err := (pagerank{}).InputSize(write(t, "graph", rest)); err == nil || !strings.Contains(err.Error(), "2097187 bytes, and 1048576 of memory are free") {
		t.Errorf("a file that is larger than the memory: %v", err)
	}
	l := &list{need: need{edges: 100}, free: 1 << 40, both: true}
	if err := l.tooMany(51); !strings.Contains(err.Error(), "51 edges or more: at most 50 are possible") {
		t.Error(err)
	}
}

// A file is read once for its size and its graph: what comes into its place behind their backs
// is not seen.
func TestReadOnce(t *testing.T) {
	at := time.Now().Add(-time.Hour)
	for _, w := range []suites.Workload{apsp{}, pagerank{}, diffusion{}, gnn{}} {
		for _, order := range []int64{0, 1} {
			path := write(t, "graph", "0 1\n1 2\n2 0\n")
			set := func(text string) {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(path, at, at); err != nil {
					t.Fatal(err)
				}
			}
			set("0 1\n1 2\n2 0\n")
			n, err := w.(suites.InputSizer).InputSize(path)
			if err != nil || n != 3 {
				t.Fatalf("%s: %d nodes, %v", w.Info().ID, n, err)
			}
			set("0 1\nx y\n2 0\n")
			b := suitetest.Build(w, n, 1)
			b.Input = path
			if _, ok := b.Params["order"]; ok {
				b.Params["order"] = order
			}
			if _, err := w.Build(b); err != nil {
				t.Errorf("%s, order %d: %v", w.Info().ID, order, err)
			}
		}
	}
}
