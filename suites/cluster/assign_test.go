package cluster

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

func gpus(numbers ...int) (out []result.Device) {
	for _, n := range numbers {
		out = append(out, result.Device{Name: "GPU", PCI: fmt.Sprintf("0000:%02x:00.0", n), UUID: fmt.Sprint("uuid-", n)})
	}
	return out
}

func TestAssign(t *testing.T) {
	soft := []result.Device{{Name: "llvmpipe", UUID: "same", Software: true}, {Name: "llvmpipe", UUID: "same", Software: true}}
	for name, c := range map[string]struct {
		all  []Description
		own  [][]int
		fail []string // parts of the error
	}{
		"a rank per node":           {all: []Description{{Node: "a", Devices: gpus(1, 2)}, {Node: "b", Devices: gpus(1, 2)}}, own: [][]int{{0, 1}, {0, 1}}},
		"a rank per GPU":            {all: []Description{{Node: "a", Devices: gpus(1, 2)}, {Node: "a", Devices: gpus(1, 2)}}, own: [][]int{{0}, {1}}},
		"three GPUs, two ranks":     {all: []Description{{Node: "a", Devices: gpus(1, 2, 3)}, {Node: "a", Devices: gpus(1, 2, 3)}}, own: [][]int{{0}, {1, 2}}},
		"the launcher bound":        {all: []Description{{Node: "a", Devices: gpus(2)}, {Node: "a", Devices: gpus(1)}}, own: [][]int{{0}, {0}}},
		"software":                  {all: []Description{{Node: "a", Devices: soft}, {Node: "a", Devices: soft}}, own: [][]int{{0, 1}, {0, 1}}},
		"claimed twice":             {all: []Description{{Node: "a", Devices: gpus(1, 2)}, {Node: "b", Devices: gpus(1)}, {Node: "a", Devices: gpus(2, 3)}}, fail: []string{"belongs to rank 0 and to rank 2", "0000:02:00.0"}},
		"containers of a machine":   {all: []Description{{Node: "a", Space: "boot pid:1", Devices: gpus(1, 2)}, {Node: "b", Space: "boot pid:2", Devices: gpus(1, 2)}}, own: [][]int{{0}, {1}}},
		"claimed in two containers": {all: []Description{{Node: "a", Space: "boot pid:1", Devices: gpus(1, 2)}, {Node: "b", Space: "boot pid:2", Devices: gpus(2)}}, fail: []string{"belongs to rank 0 and to rank 1"}},
		"machines of one name":      {all: []Description{{Node: "a", Space: "boot pid:1", Devices: gpus(1)}, {Node: "a", Space: "other pid:1", Devices: gpus(1)}}, own: [][]int{{0}, {0}}},
		"more ranks than GPUs":      {all: []Description{{Node: "a", Devices: gpus(1)}, {Node: "a", Devices: gpus(1)}}, fail: []string{"one GPU of a for ranks 0, 1"}},
		"a rank without":            {all: []Description{{Node: "a", Devices: gpus(1)}, {Node: "b", Problem: "no driver"}}, fail: []string{"rank 1 on b", "no driver"}},
	} {
		for i := range c.all {
			c.all[i].Rank = i
		}
		own, err := assign(c.all)
		if len(c.fail) == 0 && (err != nil || !reflect.DeepEqual(own, c.own)) {
			t.Errorf("%s: %v, %v, want %v", name, own, err, c.own)
		}
		for _, part := range c.fail {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %v, want %q in it", name, err, part)
			}
		}
	}
}

func TestLaunched(t *testing.T) {
	for _, l := range launchers {
		t.Setenv(l.rank, "")
		t.Setenv(l.size, "")
	}
	if r, n := Launched(); r != 0 || n != 1 {
		t.Errorf("without a launcher: rank %d of %d", r, n)
	}
	for _, l := range launchers {
		t.Setenv(l.rank, "3")
		t.Setenv(l.size, "4")
		if r, n := Launched(); r != 3 || n != 4 {
			t.Errorf("%s: rank %d of %d", l.rank, r, n)
		}
		t.Setenv(l.rank, "0")
		t.Setenv(l.size, "1") // alone in a job, which another launcher started four times
		if l.rank != "SLURM_PROCID" {
			t.Setenv("SLURM_PROCID", "3")
			t.Setenv("SLURM_STEP_NUM_TASKS", "4")
		}
		if r, n := Launched(); r != 0 || n != 1 {
			t.Errorf("%s, alone: rank %d of %d", l.rank, r, n)
		}
		for _, v := range []string{l.rank, l.size, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"} {
			t.Setenv(v, "")
		}
	}
}
