package cmd

import (
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/cluster"
)

// TestBoundRanks: ranks that may use one core only are named, so many that it can be read.
func TestBoundRanks(t *testing.T) {
	rank := func(n int, node string, cores int) cluster.Description {
		return cluster.Description{Rank: n, Node: node, Host: result.Host{Cores: cores}}
	}
	if out := bound([]cluster.Description{rank(0, "a", 2), rank(1, "b", 64), rank(2, "c", 0)}); out != nil {
		t.Errorf("%v", out)
	}
	list := []cluster.Description{rank(0, "a", 8)}
	for i := 1; i < 8; i++ {
		list = append(list, rank(i, "b", 1))
	}
	out := bound(list)
	if len(out) != 1 || out[0].Code != "few-cores" || !strings.Contains(out[0].Text, ": 1 on b, 2 on b, 3 on b, 4 on b, 3 more; start them with mpirun --bind-to none") {
		t.Errorf("%v", out)
	}
}
