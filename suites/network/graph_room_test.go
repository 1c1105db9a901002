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

// Small files that announce much are refused for next to no memory, by the line that does.
func TestLargeAnnouncements(t *testing.T) {
	const market = "%%MatrixMarket matrix coordinate pattern general\n"
	for _, c := range []struct{ text, want string }{
		{"0 67108863\n", "line 1: 67108864 nodes and 1 edges"},
		{"0 1\n# more\n2 3000000\n1 2\n", "line 3: 3000001 nodes and 3 edges"},
		{"0 67108864\n", "line 1: node 67108864"},
		{market + "67108864 67108864 1\n1 1\n", "line 2: 67108864 nodes"},
		{market + "4 4 900000000000\n1 1\n", "line 2: 900000000000 entries are announced, a file of "},
		{market + "99999999999 99999999999 3\n1 1\n", "line 2: 99999999999 nodes"},
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
			for _, err := range []error{err, built} {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s, %q: %v, want %q", w.Info().ID, c.text, err, c.want)
				}
			}
			if took > 16<<20 {
				t.Errorf("%s, %q takes %d bytes", w.Info().ID, c.text, took)
			}
		}
	}
	path := write(t, "graph", "0 200000\n")
	if _, err := (apsp{}).InputSize(path); err == nil || !strings.Contains(err.Error(), "2 to 131072") {
		t.Errorf("a matrix of 200,001 nodes: %v", err)
	}
	l := &list{n: 1 << 20}
	if err := l.fits(path, 1<<24); err == nil || !strings.Contains(err.Error(), "33554432 bytes") {
		t.Errorf("more nodes than memory: %v", err)
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
