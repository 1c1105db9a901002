package cmd

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/cluster"
)

// TestGranted: ranks use the GPUs that the variables of their maker name, in its numbers, else
// those that Slurm lists, and --device counts on as on the whole machine.
func TestGranted(t *testing.T) {
	const nv, amd, intel = 0x10de, 0x1002, 0x8086
	of := func(makers ...uint32) (out []entry) {
		for i, m := range makers {
			e := entry{Device: result.Device{Index: i, Name: fmt.Sprint("gpu", i), UUID: fmt.Sprintf("%08x-aa", i+0x10), VendorID: m, Type: "discrete"}, duplicateOf: -1}
			if m == 0 {
				e.Software, e.Type = true, "cpu"
			}
			out = append(out, e)
		}
		return out
	}
	twice := of(nv, nv, nv) // the third is the first under another driver
	twice[2].duplicateOf = 0
	four := of(nv, nv, nv, nv)
	for _, c := range []struct {
		name string
		all  []entry
		set  map[string]string
		want string // indexes; empty: an error
	}{
		{"nothing said", four, nil, "[0 1 2 3]"},
		{"numbers", four, map[string]string{"CUDA_VISIBLE_DEVICES": "1,3"}, "[1 3]"},
		{"UUIDs", four, map[string]string{"CUDA_VISIBLE_DEVICES": "GPU-00000012,GPU-00000010-aa"}, "[0 2]"},
		{"a wrong number ends the list", four, map[string]string{"CUDA_VISIBLE_DEVICES": "2,-1,3"}, "[2]"},
		{"an empty list", four, map[string]string{"CUDA_VISIBLE_DEVICES": ""}, ""},
		{"a number too large", four, map[string]string{"CUDA_VISIBLE_DEVICES": "4"}, ""},
		{"by step", four, map[string]string{"SLURM_STEP_GPUS": "2-3", "SLURM_JOB_GPUS": "0,1,2,3"}, "[2 3]"},
		{"by job", four, map[string]string{"SLURM_STEP_GPUS": "", "SLURM_JOB_GPUS": "0,3"}, "[0 3]"},
		{"others are kept away", of(nv, nv), map[string]string{"SLURM_STEP_GPUS": "2,3"}, "[0 1]"},
		{"CUDA's before Slurm's", four, map[string]string{"SLURM_STEP_GPUS": "2", "CUDA_VISIBLE_DEVICES": "0"}, "[0]"},
		{"each maker its own", of(nv, amd, nv, intel, amd), map[string]string{"CUDA_VISIBLE_DEVICES": "1", "ROCR_VISIBLE_DEVICES": "0", "ZE_AFFINITY_MASK": "0.1"}, "[1 2 3]"},
		{"HIP's", of(amd, amd), map[string]string{"HIP_VISIBLE_DEVICES": "1"}, "[1]"},
		{"a maker of which nothing is said", of(nv, intel), map[string]string{"CUDA_VISIBLE_DEVICES": "0"}, "[0 1]"},
		{"a card under two drivers", twice, map[string]string{"CUDA_VISIBLE_DEVICES": "1"}, "[1]"},
		{"CPU drivers", of(0, 0), map[string]string{"CUDA_VISIBLE_DEVICES": ""}, "[0 1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, v := range append(visibility[:len(visibility):len(visibility)], struct {
				maker     uint32
				variables []string
			}{0, slurmGPUs}) {
				for _, name := range v.variables {
					t.Setenv(name, "") // so that it is put back
					if err := os.Unsetenv(name); err != nil {
						t.Fatal(err)
					}
				}
			}
			for name, v := range c.set {
				t.Setenv(name, v)
			}
			out, err := granted(c.all)
			if c.want == "" {
				if err == nil || codeFor(err) != codeNoGPU || hintFor(err) == "" {
					t.Errorf("%v, %v", out, err)
				}
				return
			}
			got := []int{}
			for _, e := range out {
				got = append(got, e.Index)
			}
			if err != nil || fmt.Sprint(got) != c.want {
				t.Errorf("%v, %v, want %s", got, err, c.want)
			}
		})
	}
	t.Setenv("CUDA_VISIBLE_DEVICES", "1,2")
	out, err := granted(four)
	if err != nil {
		t.Fatal(err)
	}
	if picked, err := (selection{devices: []string{"2"}}).pick(out); err != nil || len(picked) != 1 || picked[0].Index != 2 {
		t.Errorf("--device 2 of GPUs 1 and 2: %v, %v", picked, err)
	}
}

// TestJoinError: ranks that do not come together end the command with the code of what is wrong.
func TestJoinError(t *testing.T) {
	none := &cluster.NoDeviceError{Rank: 1, Node: "n", Problem: "no usable GPU", Code: codeNoGPU, Hint: "try this"}
	for _, c := range []struct {
		err  error
		code int
		hint string
	}{
		{none, codeNoGPU, "try this"},
		{&cluster.NoDeviceError{Problem: "x"}, codeUsage, ""},
		{&cluster.RankError{Rank: 2, Node: "n", Err: fmt.Errorf("%w: nothing heard of it for 30s", cluster.ErrRankLost)}, codeLost, ""},
		{fmt.Errorf("%w: rank 0 of 4", cluster.ErrNotStarted), codeLost, ""},
		{errors.New("one GPU of a for ranks 0, 1"), codeUsage, ""},
	} {
		err := joinError(c.err)
		if codeFor(err) != c.code || hintFor(err) != c.hint || !errors.Is(err, c.err) {
			t.Errorf("%v: code %d, hint %q", err, codeFor(err), hintFor(err))
		}
	}
}
