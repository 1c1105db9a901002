package vk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// Features are the optional abilities that workloads or transports may ask for.
// Those that are whole extensions count as present when the device lists them.
type Features struct {
	TimelineSemaphore, Synchronization2, HostQueryReset, Maintenance4 bool

	BufferDeviceAddress, SubgroupSizeControl, FullSubgroups, IntegerDotProduct bool
	VulkanMemoryModel, RobustBufferAccess                                      bool

	Float16, Float64, Int8, Int16, Int64, Storage8, Storage16 bool
	Float32Atomics, CooperativeMatrix, Bfloat16               bool
	// CooperativeMatrix2: of the whole work-group, of any size, loaded by tensors
	// (VK_NV_cooperative_matrix2). Bfloat16Matrix: bfloat16 in cooperative matrices.
	CooperativeMatrix2, Bfloat16Matrix bool

	ExternalMemoryHost, ExternalMemoryFd, ExternalMemoryDmaBuf, ExternalSemaphoreFd bool
	CalibratedTimestamps, MemoryBudget, PCIBusInfo                                  bool
	PushDescriptor, PipelineExecutableProperties, DeviceFault, ShaderClock          bool
}

// feature ties a field of Features to its printed name and to its origin: a bit
// that the driver sets, or the extensions of which one must be listed.
type feature struct {
	name  string
	field func(*Features) *bool
	bit   uint32
	any   []string
}

var featureTable = []feature{
	{"timeline-semaphore", func(f *Features) *bool { return &f.TimelineSemaphore }, raw.FeatureTimelineSemaphore, nil},
	{"synchronization2", func(f *Features) *bool { return &f.Synchronization2 }, raw.FeatureSynchronization2, nil},
	{"host-query-reset", func(f *Features) *bool { return &f.HostQueryReset }, raw.FeatureHostQueryReset, nil},
	{"maintenance4", func(f *Features) *bool { return &f.Maintenance4 }, raw.FeatureMaintenance4, nil},
	{"buffer-device-address", func(f *Features) *bool { return &f.BufferDeviceAddress }, raw.FeatureBufferDeviceAddress, nil},
	{"subgroup-size-control", func(f *Features) *bool { return &f.SubgroupSizeControl }, raw.FeatureSubgroupSizeControl, nil},
	{"full-subgroups", func(f *Features) *bool { return &f.FullSubgroups }, raw.FeatureFullSubgroups, nil},
	{"integer-dot-product", func(f *Features) *bool { return &f.IntegerDotProduct }, raw.FeatureIntegerDotProduct, nil},
	{"vulkan-memory-model", func(f *Features) *bool { return &f.VulkanMemoryModel }, raw.FeatureVulkanMemoryModel, nil},
	{"robust-buffer-access", func(f *Features) *bool { return &f.RobustBufferAccess }, raw.FeatureRobustBufferAccess, nil},
	{"float16", func(f *Features) *bool { return &f.Float16 }, raw.FeatureFloat16, nil},
	{"float64", func(f *Features) *bool { return &f.Float64 }, raw.FeatureFloat64, nil},
	{"int8", func(f *Features) *bool { return &f.Int8 }, raw.FeatureInt8, nil},
	{"int16", func(f *Features) *bool { return &f.Int16 }, raw.FeatureInt16, nil},
	{"int64", func(f *Features) *bool { return &f.Int64 }, raw.FeatureInt64, nil},
	{"storage8", func(f *Features) *bool { return &f.Storage8 }, raw.FeatureStorage8, nil},
	{"storage16", func(f *Features) *bool { return &f.Storage16 }, raw.FeatureStorage16, nil},
	{"float32-atomics", func(f *Features) *bool { return &f.Float32Atomics }, raw.FeatureFloat32Atomics, nil},
	{"cooperative-matrix", func(f *Features) *bool { return &f.CooperativeMatrix }, raw.FeatureCooperativeMatrix, nil},
	{"cooperative-matrix2", func(f *Features) *bool { return &f.CooperativeMatrix2 }, raw.FeatureCooperativeMatrix2, nil},
	{"bfloat16-matrix", func(f *Features) *bool { return &f.Bfloat16Matrix }, raw.FeatureBfloat16Matrix, nil},
	{"bfloat16", func(f *Features) *bool { return &f.Bfloat16 }, raw.FeatureBfloat16, nil},
	{"external-memory-host", func(f *Features) *bool { return &f.ExternalMemoryHost }, 0, []string{"VK_EXT_external_memory_host"}},
	{"external-memory-fd", func(f *Features) *bool { return &f.ExternalMemoryFd }, 0, []string{"VK_KHR_external_memory_fd"}},
	{"external-memory-dma-buf", func(f *Features) *bool { return &f.ExternalMemoryDmaBuf }, 0, []string{"VK_EXT_external_memory_dma_buf"}},
	{"external-semaphore-fd", func(f *Features) *bool { return &f.ExternalSemaphoreFd }, 0, []string{"VK_KHR_external_semaphore_fd"}},
	{"calibrated-timestamps", func(f *Features) *bool { return &f.CalibratedTimestamps }, 0, []string{"VK_EXT_calibrated_timestamps", "VK_KHR_calibrated_timestamps"}},
	{"memory-budget", func(f *Features) *bool { return &f.MemoryBudget }, 0, []string{"VK_EXT_memory_budget"}},
	{"pci-bus-info", func(f *Features) *bool { return &f.PCIBusInfo }, 0, []string{"VK_EXT_pci_bus_info"}},
	{"push-descriptor", func(f *Features) *bool { return &f.PushDescriptor }, 0, []string{"VK_KHR_push_descriptor"}},
	{"pipeline-executable-properties", func(f *Features) *bool { return &f.PipelineExecutableProperties }, 0, []string{"VK_KHR_pipeline_executable_properties"}},
	{"device-fault", func(f *Features) *bool { return &f.DeviceFault }, 0, []string{"VK_EXT_device_fault"}},
	{"shader-clock", func(f *Features) *bool { return &f.ShaderClock }, 0, []string{"VK_KHR_shader_clock"}},
}

// newFeatures reads the bits of raw.Info and the sorted extension names.
func newFeatures(bits uint32, extensions []string) Features {
	var f Features
	for _, e := range featureTable {
		*e.field(&f) = bits&e.bit != 0 || slices.ContainsFunc(e.any, func(name string) bool { return contains(extensions, name) })
	}
	return f
}

// Names lists the features that are present, in a fixed order.
func (f Features) Names() []string {
	names := make([]string, 0, len(featureTable))
	for _, e := range featureTable {
		if *e.field(&f) {
			names = append(names, e.name)
		}
	}
	return names
}

// contains looks a name up in a sorted list.
func contains(sorted []string, name string) bool {
	_, ok := slices.BinarySearch(sorted, name)
	return ok
}

// Enableable lists the features that DeviceOptions.Features may ask for: those of
// shader arithmetic and storage that are off unless a kernel needs them.
func Enableable() []string {
	var names []string
	for _, e := range featureTable {
		if e.bit&raw.OnRequest != 0 {
			names = append(names, e.name)
		}
	}
	return names
}

// featureBits turns names into raw bits, refusing what the device lacks.
func (a *Adapter) featureBits(names []string) (bits uint32, err error) {
	has := a.info.Features
	for _, name := range names {
		at := slices.IndexFunc(featureTable, func(e feature) bool { return e.name == name })
		switch {
		case at < 0 || featureTable[at].bit&raw.OnRequest == 0:
			return 0, fmt.Errorf("%w: a kernel needs the feature %s; amgpu can switch on %s", ErrUnsupported, name, strings.Join(Enableable(), ", "))
		case !*featureTable[at].field(&has):
			return 0, fmt.Errorf("%w: %s lacks the feature %s; it has %s", ErrUnsupported, a.info.Name, name, offered(&has))
		}
		bits |= featureTable[at].bit
	}
	return bits, nil
}

// offered names the features that a device has and that are off unless a kernel needs them.
func offered(has *Features) string {
	var names []string
	for _, e := range featureTable {
		if e.bit&raw.OnRequest != 0 && *e.field(has) {
			names = append(names, e.name)
		}
	}
	if len(names) == 0 {
		return "none of those that kernels may need"
	}
	return strings.Join(names, ", ")
}
