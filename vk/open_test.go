package vk_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/soft"
	"github.com/amgpu/amgpu/vk/vktest"
)

func TestOpenWithoutLoader(t *testing.T) {
	for _, test := range []struct{ name, library, want string }{
		{"missing", "/nonexistent/libvulkan.so.1", "/nonexistent/libvulkan.so.1"},
		{"no Vulkan in it", "libm.so.6", "vkCreateInstance"},
		{"the variable", "/nonexistent/libvulkan.so.1", "AMGPU_VULKAN_LIBRARY=/nonexistent/libvulkan.so.1 is set: unset it"},
		{"the variable", "libm.so.6", "AMGPU_VULKAN_LIBRARY=libm.so.6 is set: unset it"},
	} {
		t.Setenv("AMGPU_VULKAN_LIBRARY", test.library)
		in, err := vk.Open(vk.Options{})
		if !errors.Is(err, vk.ErrNoLoader) || errors.Is(err, vk.ErrNoDriver) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, %v; want ErrNoLoader with %q", test.name, in, err, test.want)
		}
	}
}

func TestOpenWithoutDriver(t *testing.T) {
	torn := filepath.Join(t.TempDir(), "icd.json")
	if err := os.WriteFile(torn, []byte(`{"file_format_version": "1.0.0", "ICD": {"library_path": "/nonexistent/driver.so", "api_version": "1.3.0"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, files := range []string{"/nonexistent/icd.json", torn} {
		t.Setenv("VK_DRIVER_FILES", files)
		t.Setenv("VK_ICD_FILENAMES", files)
		in, err := vk.Open(vk.Options{})
		if !errors.Is(err, vk.ErrNoDriver) || errors.Is(err, vk.ErrNoLoader) || !strings.Contains(err.Error(), "VK_DRIVER_FILES="+files) {
			t.Errorf("%s: %v, %v; want ErrNoDriver", files, in, err)
		}
	}
}

// A driver file that is broken does not hide the devices of the others.
func TestBrokenDriverBesideAGoodOne(t *testing.T) {
	cleanup, err := soft.Prepare(soft.Spec{Lavapipe: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer cleanup()
	list := "/nonexistent/icd.json:" + os.Getenv("VK_DRIVER_FILES")
	t.Setenv("VK_DRIVER_FILES", list)
	t.Setenv("VK_ICD_FILENAMES", list)
	in, err := vk.Open(vk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closes(t, in)
	if n := len(in.Adapters()); n != 1 {
		t.Errorf("%d devices", n)
	}
}

// What Mesa's lavapipe says about itself, as far as it is the same in all
// versions in use.
func TestLavapipeInfo(t *testing.T) {
	in, adapters := vktest.Team(t, "2")
	if v := in.LoaderVersion(); !strings.HasPrefix(v, "1.") {
		t.Errorf("loader version %q", v)
	}
	if !strings.Contains(in.ActiveLayers(), "VK_LAYER_KHRONOS_validation") {
		t.Errorf("layers %q", in.ActiveLayers())
	}
	a, b := adapters[0].Info(), adapters[1].Info()
	if a.Index != 0 || b.Index != 1 || a.DuplicateOf != -1 || b.DuplicateOf != -1 || a.UUID != b.UUID {
		t.Errorf("two copies of one driver: %+v and %+v", a, b)
	}
	for what, ok := range map[string]bool{
		"name":         strings.Contains(a.Name, "llvmpipe"),
		"type":         a.Type == "cpu" && a.Software(),
		"driver":       a.DriverName == "llvmpipe" && a.DriverID == 13 && strings.HasPrefix(a.DriverInfo, "Mesa "),
		"api":          a.APIVersion >= "1.3",
		"uuid":         len(a.UUIDString()) == 36 && a.UUID != [16]byte{} && a.DriverUUID != [16]byte{},
		"pci":          a.PCI == "" && a.NUMA == -1,
		"heap":         len(a.Heaps) == 1 && a.Heaps[0].DeviceLocal && a.Heaps[0].Size >= 1<<30,
		"memory types": len(a.MemoryTypes) > 0 && a.MemoryTypes[0].HostVisible && a.MemoryTypes[0].DeviceLocal,
		"queues":       len(a.Queues) == 1 && a.Queues[0].Compute && a.Queues[0].Transfer && a.Queues[0].TimestampBits == 64,
		"limits":       a.Limits.Invocations == 1024 && a.Limits.SharedMemory == 32768 && a.Limits.ImportAlign == 4096 && a.Limits.MaxStorageBufferRange >= 1<<27 && a.Limits.MaxAllocation >= 1<<30 && a.Limits.MaxBufferSize > 0,
		"groups":       a.Limits.GroupCount[0] == 65535 && a.Limits.GroupSize[0] == 1024 && a.Limits.PushConstants >= 128,
		"subgroups":    a.Limits.SubgroupSize > 0 && a.Limits.MinSubgroup <= a.Limits.SubgroupSize && a.Limits.SubgroupSize <= a.Limits.MaxSubgroup,
		"clock":        a.Limits.TimestampPeriod == 1,
		"features":     a.Features.TimelineSemaphore && a.Features.Synchronization2 && a.Features.HostQueryReset && a.Features.Maintenance4 && a.Features.Int64 && a.Features.Float64,
		"abilities":    a.Features.ExternalMemoryHost && a.Features.CalibratedTimestamps && !a.Features.PCIBusInfo && a.HasExtension("VK_EXT_external_memory_host"),
	} {
		if !ok {
			t.Errorf("%s: %+v", what, a)
		}
	}
}

// Two drivers at once: other limits, no features in common beyond the floor, and
// data that crosses from one to the other.
func TestLavapipeBesideSwiftShader(t *testing.T) {
	_, devices := vktest.Devices(t, "1+swiftshader")
	names := map[uint32]bool{}
	for _, d := range devices {
		names[d.Info().DriverID] = true
		if d.Info().DuplicateOf != -1 {
			t.Errorf("%s is taken for a duplicate", d.Info().Name)
		}
		if d.Info().DriverID == 10 && (d.Info().Limits.Invocations != 256 || d.Info().Features.Float64) {
			t.Errorf("SwiftShader is described as %+v", d.Info())
		}
	}
	if !names[10] || !names[13] {
		t.Errorf("drivers %v, want SwiftShader (10) and lavapipe (13)", names)
	}
	const phases, runs = 3, 20
	r := newRing(t, vk.NewSchedule, devices, phases)
	for range runs {
		if _, err := r.schedule.Run(limit(t)); err != nil {
			t.Fatal(err)
		}
	}
	r.check(t, runs)
}
