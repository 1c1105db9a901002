package cmd

import (
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// TestLinksOfAJob: from node to node each device is timed with its like both ways, more than four
// nodes round a ring; ranks of one node only on GPUs.
func TestLinksOfAJob(t *testing.T) {
	pool := func(software bool, nodes ...string) (out []result.Device) {
		for _, n := range nodes {
			out = append(out, result.Device{Node: n, Software: software})
		}
		return out
	}
	for _, c := range []struct {
		pool []result.Device
		home []int
		want string
	}{
		{pool(true, "a", "a", "b", "b"), []int{0, 1, 2, 3}, "[[0 2] [2 0] [1 3] [3 1]]"},
		{pool(false, "a", "a", "b"), []int{0, 1, 2}, "[[0 2] [2 0] [1 2] [2 1] [0 1] [1 0]]"},
		{pool(false, "a", "a"), []int{0, 0}, "[]"},
		{pool(false, "a", "b", "c", "d", "e"), []int{0, 1, 2, 3, 4}, "[[0 1] [1 0] [0 4] [4 0] [1 2] [2 1] [2 3] [3 2] [3 4] [4 3]]"},
	} {
		j := &job{home: c.home}
		if got := fmt.Sprint(j.pairs(c.pool)); got != c.want {
			t.Errorf("%v: %s, want %s", c.home, got, c.want)
		}
	}
}

// TestSlowLinksOfAJob: links between ranks are held against those of their kind.
func TestSlowLinksOfAJob(t *testing.T) {
	var links []result.Link
	for i, v := range []float64{10e9, 10e9, 4e9, 9.5e9, 1e9} {
		l := result.Link{From: i, To: i + 1, Transport: "mpi", Kind: linkNet, Bandwidth: &v}
		if i == 4 {
			l.Kind = linkNode // nothing is like it
		}
		links = append(links, l)
	}
	rateLinks(links)
	for i, l := range links {
		if l.Slow != (i == 2) {
			t.Errorf("link %d: slow %v", i, l.Slow)
		}
	}
}
