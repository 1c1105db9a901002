package vk

import (
	"errors"
	"fmt"
	"testing"
)

func TestResultNames(t *testing.T) {
	for r, want := range map[Result]string{
		0: "VK_SUCCESS", 2: "VK_TIMEOUT", -2: "VK_ERROR_OUT_OF_DEVICE_MEMORY", -4: "VK_ERROR_DEVICE_LOST", -9: "VK_ERROR_INCOMPATIBLE_DRIVER",
		-1000072003: "VK_ERROR_INVALID_EXTERNAL_HANDLE", -424242: "VkResult -424242",
	} {
		if got := r.Error(); got != want {
			t.Errorf("result %d is %q, want %q", int32(r), got, want)
		}
	}
}

func TestErrorsMatchSentinels(t *testing.T) {
	sentinels := []error{ErrDeviceLost, ErrOutOfMemory, ErrUnsupported, ErrTimeout, ErrNoLoader, ErrNoDriver}
	const none = -1
	for r, want := range map[Result]int{ // index of the sentinel
		DeviceLost: 0, OutOfDeviceMem: 1, OutOfHostMemory: 1, FeatureAbsent: 2, ExtensionAbsent: 2, LayerAbsent: 2, Timeout: 3, -13: none,
	} {
		err := fmt.Errorf("while measuring: %w", &CallError{Call: "vkQueueSubmit2", Device: "device 1 (card)", Result: r})
		for i, s := range sentinels {
			if got := errors.Is(err, s); got != (i == want) {
				t.Errorf("%v is %v: %v", err, s, got)
			}
		}
		var call *CallError
		if !errors.As(err, &call) || call.Device != "device 1 (card)" {
			t.Errorf("%v names no device", err)
		}
	}
	if got := (&CallError{Call: "vkQueueSubmit2", Device: "device 1 (card)", Result: DeviceLost}).Error(); got != "vkQueueSubmit2 on device 1 (card): VK_ERROR_DEVICE_LOST" {
		t.Error(got)
	}
	if got := (&CallError{Call: "vkCreateInstance", Result: -3}).Error(); got != "vkCreateInstance: VK_ERROR_INITIALIZATION_FAILED" {
		t.Error(got)
	}
}
