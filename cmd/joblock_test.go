package cmd

import (
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// TestLockTurns: jobs take locks node by node, on each in the order of the lock files, whatever
// the ranks are, and software devices count on their node.
func TestLockTurns(t *testing.T) {
	at := func(node string, rank int, pci string) result.Device {
		return result.Device{Node: node, Rank: &rank, PCI: pci, Software: pci == ""}
	}
	pool := []result.Device{at("b", 0, "2"), at("a", 1, "3"), at("a", 1, "1"), at("a", 2, "2"), at("b", 3, "1"), at("a", 2, ""), at("b", 3, "")}
	if got := fmt.Sprint(lockTurns(pool)); got != "[{1 [2]} {2 [3]} {1 [1]} {2 [5]} {3 [4]} {0 [0]} {3 [6]}]" {
		t.Error(got)
	}
	if names := lockNames(pool); names[5] != lockName(result.Device{Node: "a", Software: true}) || names[6] != lockName(result.Device{Node: "b", Software: true}) {
		t.Errorf("the first software device of either node: %v", names[5:])
	}
}
