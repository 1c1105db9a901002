package vk

import (
	"errors"
	"fmt"
)

// Sentinels for errors.Is. CallError matches them by its result.
var (
	// ErrDeviceLost: the device stopped; only a new Device can use it again.
	ErrDeviceLost = errors.New("device lost")
	// ErrOutOfMemory: host or device memory is exhausted.
	ErrOutOfMemory = errors.New("out of memory")
	// ErrUnsupported: the device or driver lacks what was asked for.
	ErrUnsupported = errors.New("not supported")
	// ErrNoLoader: libvulkan could not be opened.
	ErrNoLoader = errors.New("no Vulkan loader")
	// ErrNoDriver: the loader works and finds no driver with a device.
	ErrNoDriver = errors.New("no Vulkan driver")
	// ErrTimeout: work did not end in time.
	ErrTimeout = errors.New("timed out")
)

// Result is a VkResult. Its text is the name in the specification.
type Result int32

// Results that amgpu names in code.
const (
	Success          Result = 0
	Timeout          Result = 2
	OutOfHostMemory  Result = -1
	OutOfDeviceMem   Result = -2
	DeviceLost       Result = -4
	FeatureAbsent    Result = -8
	Incompatible     Result = -9
	ExtensionAbsent  Result = -7
	LayerAbsent      Result = -6
	InvalidHandle    Result = -1000072003
	initFailed       Result = -3
	fragmentedMemory Result = -12
)

var resultNames = map[Result]string{
	0: "VK_SUCCESS", 1: "VK_NOT_READY", 2: "VK_TIMEOUT", 3: "VK_EVENT_SET", 4: "VK_EVENT_RESET", 5: "VK_INCOMPLETE",
	-1: "VK_ERROR_OUT_OF_HOST_MEMORY", -2: "VK_ERROR_OUT_OF_DEVICE_MEMORY", -3: "VK_ERROR_INITIALIZATION_FAILED",
	-4: "VK_ERROR_DEVICE_LOST", -5: "VK_ERROR_MEMORY_MAP_FAILED", -6: "VK_ERROR_LAYER_NOT_PRESENT",
	-7: "VK_ERROR_EXTENSION_NOT_PRESENT", -8: "VK_ERROR_FEATURE_NOT_PRESENT", -9: "VK_ERROR_INCOMPATIBLE_DRIVER",
	-10: "VK_ERROR_TOO_MANY_OBJECTS", -11: "VK_ERROR_FORMAT_NOT_SUPPORTED", -12: "VK_ERROR_FRAGMENTED_POOL",
	-13: "VK_ERROR_UNKNOWN", -1000069000: "VK_ERROR_OUT_OF_POOL_MEMORY", -1000072003: "VK_ERROR_INVALID_EXTERNAL_HANDLE",
	-1000161000: "VK_ERROR_FRAGMENTATION", -1000257000: "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS",
	-1000174001: "VK_ERROR_NOT_PERMITTED", -1000012000: "VK_ERROR_INVALID_SHADER_NV", 1000297000: "VK_PIPELINE_COMPILE_REQUIRED",
}

func (r Result) Error() string {
	if name, ok := resultNames[r]; ok {
		return name
	}
	return fmt.Sprintf("VkResult %d", int32(r))
}

// Is makes results match the sentinels.
func (r Result) Is(target error) bool {
	switch target {
	case ErrDeviceLost:
		return r == DeviceLost
	case ErrOutOfMemory:
		return r == OutOfHostMemory || r == OutOfDeviceMem || r == -1000069000
	case ErrUnsupported:
		return r == FeatureAbsent || r == ExtensionAbsent || r == LayerAbsent
	case ErrTimeout:
		return r == Timeout
	}
	return false
}

// CallError is a Vulkan call that failed.
type CallError struct {
	Call   string // with what it was about, e.g. `vkAllocateMemory (1048576 bytes)`
	Device string // empty: not about one device
	Index  int    // of that device, Info.Index
	Result Result
}

func (e *CallError) Error() string {
	if e.Device == "" {
		return fmt.Sprintf("%s: %v", e.Call, e.Result)
	}
	return fmt.Sprintf("%s on %s: %v", e.Call, e.Device, e.Result)
}

func (e *CallError) Unwrap() error { return e.Result }

// PhaseError is a failure in the middle of a schedule.
type PhaseError struct {
	Phase, Phases int // from 0; how many the schedule has
	Err           error
}

func (e *PhaseError) Error() string {
	return fmt.Sprintf("phase %d of %d: %v", e.Phase+1, e.Phases, e.Err)
}

func (e *PhaseError) Unwrap() error { return e.Err }

// ErrStuck: a device did not end its work, so that nothing of it could be freed.
var ErrStuck = errors.New("work is still under way")
