package vk_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestHandOut hands gated batches to two devices: nothing runs before the gate opens,
// later batches follow, and tickets are waited for in any order.
func TestHandOut(t *testing.T) {
	_, devices := vktest.Devices(t, "2")
	var buffers []*vk.Buffer
	var commands [][]*vk.Commands
	for _, d := range devices {
		b, err := d.NewBuffer(256, vk.HostRead)
		if err != nil {
			t.Fatal(err)
		}
		var list []*vk.Commands
		for word := range uint64(3) {
			c, err := d.Record([]vk.Op{
				{Kind: vk.OpFill, Dst: b, DstOff: 4 * word, Size: 4, Value: uint32(word + 1)},
				{Kind: vk.OpBarrier, From: vk.StageTransfer, To: vk.StageHost},
			})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, c)
		}
		buffers, commands = append(buffers, b), append(commands, list)
	}
	signalled := make([]int64, 2)
	for round := range 3 {
		var last []vk.Ticket
		for i, d := range devices {
			clear(buffers[i].Bytes())
			if _, err := d.Hand(commands[i][:2], true); err != nil {
				t.Fatal(err)
			}
			ticket, err := d.Hand(commands[i][2:], true)
			if err != nil {
				t.Fatal(err)
			}
			last = append(last, ticket)
		}
		time.Sleep(20 * time.Millisecond)
		for i := range devices {
			if !slices.Equal(buffers[i].Bytes()[:12], make([]byte, 12)) {
				t.Fatalf("round %d: device %d began before the gate", round, i)
			}
		}
		before := vk.Now()
		opened, err := vk.OpenGate(devices, signalled)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range devices {
			if err := d.Await(context.Background(), last[i]); err != nil {
				t.Fatal(err)
			}
			if got := buffers[i].Bytes(); got[0] != 1 || got[4] != 2 || got[8] != 3 {
				t.Errorf("round %d: device %d holds %v", round, i, got[:12])
			}
			if opened < before || signalled[i] < opened {
				t.Errorf("round %d: gate at %d, device told at %d, asked at %d", round, opened, signalled[i], before)
			}
		}
		// After the gate has opened, ungated batches run at once.
		ticket, err := devices[0].Hand(commands[0][:1], false)
		if err != nil {
			t.Fatal(err)
		}
		if err := devices[0].Await(context.Background(), ticket); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHandOutRefusals(t *testing.T) {
	_, devices := vktest.Devices(t, "2")
	c, err := devices[0].Record(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := devices[1].Hand([]*vk.Commands{c}, false); err == nil {
		t.Error("commands of another device were handed out")
	}
	if _, err := devices[0].Hand(slices.Repeat([]*vk.Commands{c}, 2000), false); err == nil {
		t.Error("2,000 command buffers in a batch")
	}
	if _, err := vk.OpenGate(devices, make([]int64, 1)); err == nil {
		t.Error("a gate with one time for two devices")
	}
	ticket, err := devices[0].Hand([]*vk.Commands{c}, false)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if err := devices[0].Await(gone, ticket); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
}

// A gate that cannot be opened on one device is an error that names it, and nothing that
// was handed out is left waiting.
func TestGateThatFails(t *testing.T) {
	devices := injected(t, "call=vkSignalSemaphore,device=1,nth=1,result=VK_ERROR_OUT_OF_HOST_MEMORY", vk.DeviceOptions{})
	var tickets []vk.Ticket
	for _, d := range devices {
		ticket, err := d.Hand([]*vk.Commands{record(t, d)}, true)
		if err != nil {
			t.Fatal(err)
		}
		tickets = append(tickets, ticket)
	}
	var call *vk.CallError
	if _, err := vk.OpenGate(devices, make([]int64, 2)); !errors.As(err, &call) || call.Index != 1 || call.Call != "vkSignalSemaphore" {
		t.Errorf("%v", err)
	}
	for i, d := range devices {
		if err := d.Await(limit(t), tickets[i]); err != nil || d.Stuck() {
			t.Errorf("device %d: %v, stuck %v", i, err, d.Stuck())
		}
	}
}
