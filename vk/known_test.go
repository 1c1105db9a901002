package vk

import "testing"

func TestCapability(t *testing.T) {
	h100 := &Info{VendorID: 0x10de, DeviceID: 0x2330}
	if c, ok := h100.Capability(); !ok || c.BytesPerSecond != 3.35e12 || c.Flops != 66.9e12 || c.Cache != 50e6 {
		t.Errorf("H100: %+v %v", c, ok)
	}
	if c, ok := (&Info{VendorID: 0x10005, DeviceID: 0}).Capability(); ok {
		t.Errorf("a software device has a data sheet: %+v", c)
	}
}
