package vk

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/amgpu/amgpu/vk/internal/raw"
	"github.com/google/go-cmp/cmp"
)

func TestNewInfo(t *testing.T) {
	r := &raw.Info{
		Name: "card", Type: raw.TypeDiscrete, API: 1<<22 | 3<<12 | 230, DriverID: raw.DriverNvidia, DriverVersion: 580<<22 | 159<<14 | 4<<6,
		UUID:   [16]byte{0x12, 0x34, 0, 0, 0xab, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff},
		HasPCI: true, PCIDomain: 0x10000, PCIBus: 0xa, PCIDevice: 0x1f, PCIFunction: 7,
		Heaps:             []raw.InfoHeap{{Size: 100, Budget: 7, Usage: 3, Flags: raw.HeapDeviceLocal}, {Size: 50}},
		Types:             []raw.InfoType{{Heap: 1, Flags: raw.MemoryHostVisible | raw.MemoryHostCached}},
		Families:          []raw.InfoFamily{{Flags: raw.QueueCompute, Count: 8, TimestampBits: 36}, {Flags: raw.QueueSparse, Count: 1}},
		MaxAllocation:     1000,
		SetStorageBuffers: 96, StageStorageBuffers: 35,
		Matrices: []raw.InfoMatrix{
			{M: 16, N: 8, K: 16, A: 0, B: 0, C: 1, Result: 1, Scope: 3},
			{M: 32, N: 32, K: 16, A: 1000141000, B: 3, C: 77, Result: 5, Scope: 2, Flexible: true, Invocations: 256, Saturating: true},
		},
		Features:   raw.FeatureFloat64 | raw.FeatureTimelineSemaphore,
		Extensions: []string{"VK_KHR_shader_clock", "VK_EXT_external_memory_host"},
	}
	i := newInfo(r)
	for _, c := range []struct{ what, got, want string }{
		{"type", i.Type, "discrete"},
		{"api", i.APIVersion, "1.3.230"},
		{"driver", i.DriverVersion, "580.159.04"},
		{"uuid", i.UUIDString(), "12340000-ab00-0000-0000-0000000000ff"},
		{"pci", i.PCI, "10000:0a:1f.7"},
	} {
		if c.got != c.want {
			t.Errorf("%s is %q, want %q", c.what, c.got, c.want)
		}
	}
	if diff := cmp.Diff([]Heap{{Size: 100, DeviceLocal: true}, {Size: 50}}, i.Heaps); diff != "" {
		t.Errorf("budget counted though not reported: %s", diff)
	}
	if diff := cmp.Diff([]MemoryType{{Heap: 1, HostVisible: true, HostCached: true}}, i.MemoryTypes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]QueueFamily{
		{Index: 0, Count: 8, Compute: true, Transfer: true, TimestampBits: 36},
		{Index: 1, Count: 1, Sparse: true},
	}, i.Queues); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Matrix{
		{M: 16, N: 8, K: 16, A: "float16", B: "float16", C: "float32", Result: "float32", Scope: "subgroup"},
		{M: 32, N: 32, K: 16, A: "bfloat16", B: "sint8", C: "component-77", Result: "sint32", Scope: "workgroup", Flexible: true, Invocations: 256, Saturating: true},
	}, i.Matrices); diff != "" {
		t.Error(diff)
	}
	if got := i.Matrices[0].String() + " " + i.Matrices[1].String(); got != "16x8x16:float16,float16,float32:subgroup multiples-of-32x32x16:bfloat16,sint8,sint32:workgroup-of-256" {
		t.Errorf("matrices are printed as %s", got)
	}
	if i.Limits.MaxBufferSize != 1000 || i.Limits.StorageBuffers != 35 {
		t.Errorf("limits %+v: want the allocation as buffer size, the lesser of the two binding limits", i.Limits)
	}
	if diff := cmp.Diff([]string{"timeline-semaphore", "float64", "external-memory-host", "shader-clock"}, i.Features.Names()); diff != "" {
		t.Error(diff)
	}
	if !i.HasExtension("VK_KHR_shader_clock") || i.HasExtension("VK_KHR_shader") {
		t.Error("extension lookup is wrong")
	}
	if i.DuplicateOf != -1 || i.Software() {
		t.Errorf("duplicate of %d, software %v", i.DuplicateOf, i.Software())
	}
}

func TestNewInfoOfAnUnknownDevice(t *testing.T) {
	i := newInfo(&raw.Info{Type: 99})
	if i.Type != "other" || i.PCI != "" || i.NUMA != -1 || len(i.Features.Names()) != 0 {
		t.Errorf("got %+v", i)
	}
}

func TestDriverVersion(t *testing.T) {
	for _, test := range []struct {
		driver, v uint32
		want      string
	}{
		{13, 22<<22 | 3<<12 | 6, "22.3.6"},
		{raw.DriverNvidia, 580<<22 | 159<<14 | 4<<6, "580.159.04"},
		{raw.DriverNvidia, 390<<22 | 48<<14 | 2<<6 | 1, "390.48.02.1"},
	} {
		if got := driverVersion(test.driver, test.v); got != test.want {
			t.Errorf("driver %d, %#x: %s, want %s", test.driver, test.v, got, test.want)
		}
	}
}

func TestNUMANode(t *testing.T) {
	root := t.TempDir()
	write := func(pci, text string) {
		if err := os.MkdirAll(filepath.Join(root, pci), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, pci, "numa_node"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("0000:01:00.0", "1\n")
	write("0000:02:00.0", "-1\n")
	write("0000:03:00.0", "many\n")
	for pci, want := range map[string]int{"0000:01:00.0": 1, "0000:02:00.0": -1, "0000:03:00.0": -1, "0000:04:00.0": -1} {
		if got := numaNode(root, pci); got != want {
			t.Errorf("%s is on node %d, want %d", pci, got, want)
		}
	}
}

// Every field of Features has one row in the table, and every row its own field.
func TestFeatureTableIsComplete(t *testing.T) {
	seen := map[*bool]string{}
	var f Features
	for _, e := range featureTable {
		p := e.field(&f)
		if seen[p] != "" {
			t.Errorf("%s and %s share a field", e.name, seen[p])
		}
		seen[p] = e.name
		*p = true
	}
	v := reflect.ValueOf(f)
	for k := range v.NumField() {
		if !v.Field(k).Bool() {
			t.Errorf("field %s has no row", v.Type().Field(k).Name)
		}
	}
}
