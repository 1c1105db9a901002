package vk_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// What is no compute kernel is refused before a driver sees it; the device works
// on.
func TestBadKernels(t *testing.T) {
	_, devices := vktest.Devices(t, "1")
	d := devices[0]
	good := spirv(t, "affine")
	options := vk.KernelOptions{Name: "affine", Bindings: 2, PushBytes: 12, Spec: []vk.SpecConst{{ID: 0, Value: 64}}}
	with := func(change func(o *vk.KernelOptions)) vk.KernelOptions {
		o := options
		change(&o)
		return o
	}
	for _, test := range []struct {
		name  string
		words []uint32
		o     vk.KernelOptions
		is    error
	}{
		{"nothing", nil, options, nil},
		{"noise", []uint32{1, 2, 3, 4, 5, 6, 7}, options, nil},
		{"magic and noise", append([]uint32{0x07230203, 0x00010000, 0, 9, 0}, 0xdeadbeef, 0xffffffff), options, nil},
		{"torn", good[:len(good)/2], options, nil},
		{"too many push constants", good, with(func(o *vk.KernelOptions) { o.PushBytes = 1 << 20 }), vk.ErrUnsupported},
		{"push constants of no whole word", good, with(func(o *vk.KernelOptions) { o.PushBytes = 13 }), nil},
		{"negative push constants", good, with(func(o *vk.KernelOptions) { o.PushBytes = -4 }), nil},
		{"too many bindings", good, with(func(o *vk.KernelOptions) { o.Bindings = 1000 }), vk.ErrUnsupported},
		{"negative bindings", good, with(func(o *vk.KernelOptions) { o.Bindings = -1 }), nil},
		{"too many constants", good, with(func(o *vk.KernelOptions) { o.Spec = make([]vk.SpecConst, 1000) }), vk.ErrUnsupported},
	} {
		k, err := d.NewKernel(test.words, test.o)
		if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), "affine") {
			t.Errorf("%s: %v, %v", test.name, k, err)
		}
	}
	k, err := d.NewKernel(good, options)
	if err != nil {
		t.Fatal(err)
	}
	closes(t, k)
}

func TestBadSets(t *testing.T) {
	_, devices := vktest.Devices(t, "2")
	d := devices[0]
	k := kernel(t, d, "affine", 2, 3)
	b, other := buffer(t, d, 1<<16, vk.DeviceLocal), buffer(t, devices[1], 1<<16, vk.DeviceLocal)
	closed, err := d.NewBuffer(64, vk.DeviceLocal)
	if err != nil {
		t.Fatal(err)
	}
	closes(t, closed)
	ok := vk.BufferRange{Buffer: b, Size: 64}
	for name, ranges := range map[string][]vk.BufferRange{
		"too few":              {ok},
		"too many":             {ok, ok, ok},
		"no buffer":            {ok, {Size: 64}},
		"closed buffer":        {ok, {Buffer: closed, Size: 64}},
		"another device":       {ok, {Buffer: other, Size: 64}},
		"empty":                {ok, {Buffer: b}},
		"beyond the end":       {ok, {Buffer: b, Size: 1<<16 + 4}},
		"offset beyond":        {ok, {Buffer: b, Offset: 1 << 16, Size: 4}},
		"offset and size wrap": {ok, {Buffer: b, Offset: 1<<64 - 256, Size: 512}},
		"odd offset":           {ok, {Buffer: b, Offset: 4, Size: 64}},
	} {
		if s, err := d.NewSet(k, ranges); err == nil {
			t.Errorf("%s: %v", name, s)
		}
	}
}

func TestBadOperations(t *testing.T) {
	_, devices := vktest.Devices(t, "2")
	d := devices[0]
	k, foreign := kernel(t, d, "affine", 2, 3), kernel(t, devices[1], "affine", 2, 3)
	b, other := buffer(t, d, 256, vk.DeviceLocal), buffer(t, devices[1], 256, vk.DeviceLocal)
	s := set(t, d, k, b, b)
	q, err := d.NewQueries(1)
	if err != nil {
		t.Fatal(err)
	}
	for name, op := range map[string]vk.Op{
		"unknown":               {Kind: 99},
		"no kernel":             {Kind: vk.OpDispatch, Set: s},
		"no set":                {Kind: vk.OpDispatch, Kernel: k},
		"another device":        {Kind: vk.OpDispatch, Kernel: foreign, Set: s},
		"too many pushes":       {Kind: vk.OpDispatch, Kernel: k, Set: s, Push: make([]uint32, 4), Groups: [3]uint32{1, 1, 1}},
		"too many groups":       {Kind: vk.OpDispatch, Kernel: k, Set: s, Groups: [3]uint32{1 << 31, 1, 1}},
		"copy of nothing":       {Kind: vk.OpCopy, Src: b, Dst: b},
		"copy without source":   {Kind: vk.OpCopy, Dst: b, Size: 4},
		"copy between devices":  {Kind: vk.OpCopy, Src: b, Dst: other, Size: 4},
		"copy beyond source":    {Kind: vk.OpCopy, Src: b, SrcOff: 255, Dst: b, Size: 4},
		"copy beyond target":    {Kind: vk.OpCopy, Src: b, DstOff: 255, Dst: b, Size: 4},
		"copy that wraps":       {Kind: vk.OpCopy, Src: b, SrcOff: 1<<64 - 4, Dst: b, Size: 8},
		"fill of odd size":      {Kind: vk.OpFill, Dst: b, Size: 3},
		"fill at odd offset":    {Kind: vk.OpFill, Dst: b, DstOff: 2, Size: 4},
		"fill beyond":           {Kind: vk.OpFill, Dst: b, DstOff: 256, Size: 4},
		"fill that wraps":       {Kind: vk.OpFill, Dst: b, DstOff: 1<<64 - 4, Size: 8},
		"fill of another's":     {Kind: vk.OpFill, Dst: other, Size: 4},
		"timestamp of no pool":  {Kind: vk.OpTimestamp},
		"timestamp beyond pool": {Kind: vk.OpTimestamp, Queries: q, Query: 1},
	} {
		if c, err := d.Record([]vk.Op{op}); err == nil {
			t.Errorf("%s: no error", name)
			closes(t, c)
		}
	}
	if err := d.Do(limit(t), nil); err == nil {
		t.Error("no commands were run")
	}
	if err := devices[1].Do(limit(t), record(t, d, fill(b, 1))); err == nil {
		t.Error("commands of another device were run")
	}
}

// A pipeline cache on disk is used, and a damaged or unwritable one only costs
// time.
func TestPipelineCache(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	dir := filepath.Join(t.TempDir(), "cache")
	build := func(dir string) {
		t.Helper()
		d, err := adapters[0].Open(vk.DeviceOptions{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		k, err := d.NewKernel(spirv(t, "step"), vk.KernelOptions{Name: "step", Hash: "abc", Bindings: 1, PushBytes: 4, Spec: []vk.SpecConst{{ID: 0, Value: groupSize}}})
		if err != nil {
			t.Fatal(err)
		}
		v, err := d.NewBuffer(256, vk.HostRead)
		if err != nil {
			t.Fatal(err)
		}
		c, err := d.Record([]vk.Op{fill(v, 1), barrier(vk.StageTransfer, vk.StageCompute), dispatch(k, set(t, d, k, v), 64), barrier(vk.StageCompute, vk.StageHost)})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Do(limit(t), c); err != nil {
			t.Fatal(err)
		}
		check(t, v.Bytes(), func(i int) uint32 { return uint32(3 + i) })
		closes(t, d)
	}
	build(dir)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("cache files %v, %v", files, err)
	}
	build(dir)
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{nil, whole[:len(whole)/2], append([]byte{whole[0] ^ 1}, whole[1:]...)} {
		if err := os.WriteFile(files[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		build(dir)
		if again, err := os.ReadFile(files[0]); err != nil || len(again) < len(whole)/2 {
			t.Errorf("a damaged cache was not written again: %d bytes, %v", len(again), err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	build(file) // not a folder
}
