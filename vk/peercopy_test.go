package vk_test

import (
	"strings"
	"testing"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// What a schedule refuses to give to a copy engine.
func TestPeerCopyRefusals(t *testing.T) {
	_, devices := vktest.Devices(t, "2")
	own := buffer(t, devices[0], 4096, vk.DeviceLocal)
	for i, d := range devices {
		if err := d.SetSource(&lender{from: devices[1-i]}); err != nil {
			t.Fatal(err)
		}
	}
	a, b := buffer(t, devices[0], 4096, vk.DeviceLocal), buffer(t, devices[1], 4096, vk.DeviceLocal)
	engine := &vk.CopyEngine{Name: "test"}
	for _, test := range []struct {
		copy vk.PeerCopy
		want string
	}{
		{vk.PeerCopy{From: 0, To: 1, Src: a, Dst: b, Size: 4}, "without an engine"},
		{vk.PeerCopy{Engine: engine, From: 0, To: 0, Src: a, Dst: a, Size: 4}, "peer copy from 0 to 0"},
		{vk.PeerCopy{Engine: engine, From: 0, To: 2, Src: a, Dst: b, Size: 4}, "peer copy from 0 to 2"},
		{vk.PeerCopy{Engine: engine, From: 1, To: 0, Src: a, Dst: b, Size: 4}, "another device's"},
		{vk.PeerCopy{Engine: engine, From: 0, To: 1, Src: own, Dst: b, Size: 4}, "without an address for test"},
		{vk.PeerCopy{Engine: engine, From: 0, To: 1, Src: a, Dst: b}, "of 0 bytes"},
		{vk.PeerCopy{Engine: engine, From: 0, To: 1, Src: a, Dst: b, SrcOff: 4092, Size: 8}, "8 bytes from 4092 of 4096"},
		{vk.PeerCopy{Engine: engine, From: 0, To: 1, Src: a, Dst: b, DstOff: 4100, Size: 8}, "to 4100 of 4096"},
		{vk.PeerCopy{From: 0, Src: a, Away: 1 << 20, Size: 4}, "without an engine"},
		{vk.PeerCopy{Engine: engine, From: 2, Src: a, Away: 1 << 20, Size: 4}, "from 2 of a team of 2 to another process"},
		{vk.PeerCopy{Engine: engine, From: 0, Src: b, Away: 1 << 20, Size: 4}, "another device's"},
		{vk.PeerCopy{Engine: engine, From: 0, Src: own, Away: 1 << 20, Size: 4}, "without an address for test"},
		{vk.PeerCopy{Engine: engine, From: 0, Src: a, SrcOff: 4092, Away: 1 << 20, Size: 8}, "8 bytes from 4092 of 4096 to another process"},
	} {
		_, err := vk.NewSchedule(devices, []vk.Phase{{Peers: []vk.PeerCopy{test.copy}}})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test.copy, err)
		}
	}
}
