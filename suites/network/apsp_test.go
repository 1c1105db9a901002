package network

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestPathsBuild(t *testing.T) {
	for _, n := range []int64{2, 3, 63, 64, 65, 127, 129, 1000, 4096} {
		for _, count := range []int{1, 2, 3, 7} {
			for squaring := range int64(2) {
				b := suitetest.Build(apsp{}, n, count)
				b.Params["squaring"] = squaring
				for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
					p, err := (apsp{}).Build(b)
					if err == nil {
						err = suitetest.Invariants(p, count)
					}
					if err != nil {
						t.Fatalf("%d nodes, %d devices, squaring %d: %v", n, count, squaring, err)
					}
				}
			}
		}
	}
	for _, n := range []int64{0, 1, -1, maxPaths + 1} {
		if _, err := (apsp{}).Build(suitetest.Build(apsp{}, n, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("%d nodes: %v does not say what to choose", n, err)
		}
	}
	if got := (apsp{}).WeakSize(1000, 8); got != 2000 {
		t.Errorf("eight times the work of 1000 nodes has %d", got)
	}
}

// TestSquarings: 2^t edges reach n-1 of them.
func TestSquarings(t *testing.T) {
	for _, n := range []int64{2, 3, 4, 5, 6, 9, 10, 17, 18, 4096} {
		b := suitetest.Build(apsp{}, n, 1)
		b.Params["squaring"] = 1
		p, err := (apsp{}).Build(b)
		if err != nil {
			t.Fatal(err)
		}
		times := p.Steps[1].(program.Repeat).Times
		if reach := math.Pow(2, float64(times)); reach < float64(n-1) || times > 1 && reach/2 >= float64(n-1) {
			t.Errorf("%d squarings for %d nodes", times, n)
		}
	}
}

// floyd is Floyd-Warshall as it is written in books.
func floyd(graph [][]edge) [][]float32 {
	d := make([][]float32, len(graph))
	for i := range d {
		d[i] = make([]float32, len(graph))
		for j := range d[i] {
			if i != j {
				d[i][j] = float32(math.Inf(1))
			}
		}
		for _, e := range graph[i] {
			d[i][e.to] = float32(e.weight)
		}
	}
	for k := range d {
		for i := range d {
			for j := range d {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	return d
}

func TestDijkstraIsFloydWarshall(t *testing.T) {
	for _, n := range []int64{2, 17, 200} {
		m, err := pathsOf(suitetest.Build(apsp{}, n, 1))
		if err != nil {
			t.Fatal(err)
		}
		graph := m.edges(7)
		if mean := 0; n == 200 {
			for _, list := range graph {
				mean += len(list)
			}
			if mean < 14*200 || mean > 18*200 {
				t.Errorf("%d edges from 200 nodes", mean)
			}
		}
		want := floyd(graph)
		for i := range n {
			got := dijkstra(graph, i)
			for j := range got {
				if got[j] != want[i][j] {
					t.Fatalf("%d nodes: distance from %d to %d is %v, Floyd-Warshall says %v", n, i, j, got[j], want[i][j])
				}
			}
		}
	}
}

func TestPathsVerify(t *testing.T) {
	b := suitetest.Build(apsp{}, 100, 2)
	p, err := (apsp{}).Build(b)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := pathsOf(b)
	words := make([]uint32, m.pitch*m.pitch)
	for i, row := range floyd(m.edges(b.Seed)) {
		for j, d := range row {
			words[int64(i)*m.pitch+int64(j)] = math.Float32bits(d)
		}
	}
	c := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: map[string][]uint32{"D": words}}}
	if got, err := (apsp{}).Verify(c); err != nil || got.Wrong != "" || got.Checked != 100*100 {
		t.Errorf("%+v, %v", got, err)
	}
	words[99*m.pitch+98] = math.Float32bits(math.Float32frombits(words[99*m.pitch+98]) + 1)
	if got, err := (apsp{}).Verify(c); err != nil || got.Wrong == "" {
		t.Errorf("a longer way passes: %+v, %v", got, err)
	}
}
