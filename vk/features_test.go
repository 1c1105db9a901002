package vk_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// Features are switched on when asked for; a module that uses one passes the
// validation layer then. What a device lacks or vk cannot switch on is named.
func TestFeaturesOnRequest(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	a := adapters[0]
	var on []string
	for _, name := range vk.Enableable() {
		if slices.Contains(a.Info().Features.Names(), name) {
			on = append(on, name)
			continue
		}
		if _, err := a.Open(vk.DeviceOptions{Features: []string{name}}); !errors.Is(err, vk.ErrUnsupported) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s, which the device lacks: %v", name, err)
		}
	}
	if !slices.Contains(on, "int64") {
		t.Fatalf("the software device offers only %v", on)
	}
	d, err := a.Open(vk.DeviceOptions{Features: on})
	if err != nil {
		t.Fatal(err)
	}
	closes(t, d)
	for _, name := range []string{"memory-budget", "no-such-feature"} {
		if _, err := a.Open(vk.DeviceOptions{Features: []string{name}}); !errors.Is(err, vk.ErrUnsupported) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An entry point has the name that the options give it.
func TestEntryPointName(t *testing.T) {
	_, devices := vktest.Devices(t, "1")
	words := slices.Clone(spirv(t, "affine"))
	o := vk.KernelOptions{Name: "affine", Bindings: 2, PushBytes: 12, Entry: "niam"}
	if _, err := devices[0].NewKernel(words, o); err == nil || !strings.Contains(err.Error(), "named niam") {
		t.Errorf("a missing entry point: %v", err)
	}
	for at := 5; at < len(words); at += int(words[at] >> 16) {
		if words[at]&0xffff == 15 {
			words[at+3] = 0x6d61696e // "niam"
		}
	}
	k, err := devices[0].NewKernel(words, o)
	if err != nil {
		t.Fatal(err)
	}
	closes(t, k)
}

// A kernel gets subgroups of the size that it asks for, or is refused.
func TestSubgroupSize(t *testing.T) {
	_, devices := vktest.Devices(t, "1")
	d := devices[0]
	l := d.Info().Limits
	o := vk.KernelOptions{Name: "affine", Bindings: 2, PushBytes: 12, Spec: []vk.SpecConst{{ID: 0, Value: 64}}}
	for _, size := range []uint32{l.MinSubgroup, l.MaxSubgroup} {
		o.Subgroup = int(size)
		k, err := d.NewKernel(spirv(t, "affine"), o)
		if !l.RequiredSubgroup {
			if !errors.Is(err, vk.ErrUnsupported) {
				t.Errorf("subgroups of %d of a device that gives no choice: %v", size, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		closes(t, k)
	}
	for _, size := range []int{3, 2 * int(l.MaxSubgroup)} {
		o.Subgroup = size
		if _, err := d.NewKernel(spirv(t, "affine"), o); !errors.Is(err, vk.ErrUnsupported) || !strings.Contains(err.Error(), "subgroups of") {
			t.Errorf("subgroups of %d: %v", size, err)
		}
	}
}
