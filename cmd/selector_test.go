package cmd

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

func machineWith(devices ...result.Device) []entry {
	out := make([]entry, len(devices))
	for i, d := range devices {
		d.Index = i
		out[i] = entry{Device: d, duplicateOf: -1}
	}
	return out
}

var (
	gpuA = result.Device{Name: "NVIDIA H100 80GB HBM3", UUID: "aabbccdd-0000-0000-0000-000000000001", PCI: "0000:01:00.0", Type: "discrete"}
	gpuB = result.Device{Name: "NVIDIA H100 80GB HBM3", UUID: "aabbccdd-0000-0000-0000-000000000002", PCI: "0001:41:00.0", Type: "discrete"}
	igpu = result.Device{Name: "Intel(R) Graphics", UUID: "12345678-0000-0000-0000-000000000003", PCI: "0000:00:02.0", Type: "integrated"}
	cpu  = result.Device{Name: "llvmpipe (LLVM 15)", UUID: "6d657361-0000-0000-0000-000000000004", Type: "cpu", Software: true}
)

func TestMatches(t *testing.T) {
	all := machineWith(gpuA, gpuB, igpu, cpu)
	for selector, want := range map[string][]int{
		"0": {0}, "3": {3}, "9": nil,
		"0000:01:00.0": {0}, "01:00.0": {0}, "0001:41:00": {1}, "41:00": nil,
		"aabbccdd": {0, 1}, "AABBCCDD-0000-0000-0000-000000000002": {1}, "aabbccdd00000000000000000000000000000001": nil, "12345678": {2},
		"*h100*": {0, 1}, "Intel*": {2}, "H100": nil, "[": nil,
	} {
		var got []int
		for _, e := range all {
			if matches(selector, e.Device) {
				got = append(got, e.Index)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q matches %v, want %v", selector, got, want)
		}
	}
}

func TestPick(t *testing.T) {
	duplicate := machineWith(gpuA, gpuA, cpu)
	duplicate[1].duplicateOf = 0
	broken := machineWith(gpuA, gpuB)
	broken[0].err = errors.New("VK_ERROR_INITIALIZATION_FAILED")
	broken[1].err = broken[0].err
	oneBroken := machineWith(gpuA, gpuB)
	oneBroken[0].err = broken[0].err
	for _, c := range []struct {
		name string
		all  []entry
		sel  selection
		want []int
		code int
		text string
	}{
		{name: "discrete first", all: machineWith(igpu, gpuA, gpuB, cpu), want: []int{1, 2}},
		{name: "integrated next", all: machineWith(igpu, cpu), want: []int{0}},
		{name: "integrated before allowed CPU", all: machineWith(cpu, igpu), sel: selection{allowCPU: true}, want: []int{1}},
		{name: "only CPU", all: machineWith(cpu), code: codeNoGPU, text: "never used silently"},
		{name: "allowed CPU", all: machineWith(cpu), sel: selection{allowCPU: true}, want: []int{0}},
		{name: "nothing", code: codeNoGPU, text: "no usable GPU"},
		{name: "duplicates folded", all: duplicate, want: []int{0}},
		{name: "duplicate alone", all: duplicate, sel: selection{devices: []string{"1"}}, want: []int{1}},
		{name: "both of one card", all: duplicate, sel: selection{devices: []string{"0", "1"}}, code: codeUsage, text: "same card"},
		{name: "named", all: machineWith(gpuA, gpuB, igpu), sel: selection{devices: []string{"2", "0"}}, want: []int{0, 2}},
		{name: "named CPU", all: machineWith(gpuA, cpu), sel: selection{devices: []string{"1"}}, code: codeUsage, text: "--allow-cpu"},
		{name: "unknown", all: machineWith(gpuA), sel: selection{devices: []string{"5"}}, code: codeUsage, text: "there are: 0 NVIDIA"},
		{name: "excluded", all: machineWith(gpuA, gpuB), sel: selection{exclude: []string{"01:00.0"}}, want: []int{1}},
		{name: "all excluded", all: machineWith(gpuA), sel: selection{exclude: []string{"0"}}, code: codeNoGPU, text: "left by"},
		{name: "all allowed CPU excluded", all: machineWith(cpu), sel: selection{exclude: []string{"0"}, allowCPU: true}, code: codeNoGPU, text: "left by"},
		{name: "limited", all: machineWith(gpuA, gpuB), sel: selection{max: 1}, want: []int{0}},
		{name: "visible", all: machineWith(gpuA, gpuB), sel: selection{visible: []string{"1"}}, want: []int{1}},
		{name: "not visible", all: machineWith(gpuA, gpuB), sel: selection{visible: []string{"1"}, devices: []string{"0"}}, code: codeUsage, text: "matches no device"},
		{name: "one broken", all: oneBroken, want: []int{1}},
		{name: "all broken", all: broken, code: codeNoGPU, text: "VK_ERROR_INITIALIZATION_FAILED"},
		{name: "named broken", all: oneBroken, sel: selection{devices: []string{"0"}}, code: codeNoGPU, text: "cannot be used"},
	} {
		got, err := c.sel.pick(c.all)
		var index []int
		for _, e := range got {
			index = append(index, e.Index)
		}
		if !slices.Equal(index, c.want) || codeFor(err) != c.code {
			t.Errorf("%s: devices %v, error %v (code %d); want %v, code %d", c.name, index, err, codeFor(err), c.want, c.code)
		}
		if err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %q does not say %q", c.name, err, c.text)
		}
	}
}

func FuzzMatches(f *testing.F) {
	for _, s := range []string{"0", "01:00.0", "aabb", "*H100*", "[a-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, selector string) {
		if matches(selector, gpuA) && selector == "" {
			t.Fatal("the empty selector matches")
		}
	})
}
