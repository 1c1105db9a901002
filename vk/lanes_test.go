package vk_test

import (
	"strings"
	"testing"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// A tail runs behind its phase and before the device's next one, a second queue beside
// both, on one device and beside another without either, run after run.
func TestTailsAndBeside(t *testing.T) {
	both(t, func(t *testing.T, wait waiting) {
		_, devices := vktest.Devices(t, "2")
		a, b := devices[0], devices[1]
		const n = 3000
		x, side, down := buffer(t, a, 4*n, vk.DeviceLocal), buffer(t, a, 4*n, vk.DeviceLocal), buffer(t, a, 8*n, vk.HostRead)
		y := buffer(t, b, 4*n, vk.DeviceLocal)
		k, kb := kernel(t, a, "step", 1, 1), kernel(t, b, "step", 1, 1)
		step := func() *vk.Commands {
			return record(t, a, barrier(vk.StageTransfer|vk.StageCompute, vk.StageCompute|vk.StageTransfer), dispatch(k, set(t, a, k, x), n))
		}
		beside, err := a.RecordBeside([]vk.Op{barrier(vk.StageTransfer, vk.StageTransfer), {Kind: vk.OpCopy, Src: side, Dst: down, DstOff: 4 * n, Size: 4 * n}, barrier(vk.StageTransfer, vk.StageHost)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closes(t, beside) })
		s := schedule(t, wait, devices,
			vk.Phase{Submissions: [][]*vk.Commands{{step()}, {record(t, b, dispatch(kb, set(t, b, kb, y), n))}}, Tails: [][]*vk.Commands{{step(), step()}}},
			vk.Phase{Submissions: [][]*vk.Commands{nil, {record(t, b)}}, Beside: [][]*vk.Commands{{beside}}},
			vk.Phase{Submissions: [][]*vk.Commands{{record(t, a,
				barrier(vk.StageCompute, vk.StageTransfer),
				vk.Op{Kind: vk.OpCopy, Src: x, Dst: down, Size: 4 * n},
				barrier(vk.StageTransfer, vk.StageHost))}}})
		do(t, a, fill(x, 1), fill(side, 5))
		do(t, b, fill(y, 1))
		want := make([]uint32, n)
		for i := range want {
			want[i] = 1
		}
		for range 20 {
			timing, err := s.Run(limit(t))
			if err != nil {
				t.Fatal(err)
			}
			if timing.Done[0] < timing.PhaseDone[1] {
				t.Errorf("device 0 done at %d, before the phase in which its second queue worked ended at %d", timing.Done[0], timing.PhaseDone[1])
			}
			for i := range want {
				for range 3 {
					want[i] = want[i]*3 + uint32(i)
				}
			}
			check(t, down.Bytes()[:4*n], func(i int) uint32 { return want[i] })
			check(t, down.Bytes()[4*n:], func(int) uint32 { return 5 })
		}
	})
}

// What cannot be waited for, or goes to the wrong queue, is refused.
func TestLanesRefused(t *testing.T) {
	_, devices := vktest.Devices(t, "1")
	d := devices[0]
	k := kernel(t, d, "step", 1, 1)
	x := buffer(t, d, 64, vk.DeviceLocal)
	for _, ops := range [][]vk.Op{{dispatch(k, set(t, d, k, x), 16)}, {barrier(vk.StageCompute, vk.StageTransfer)}} {
		if _, err := d.RecordBeside(ops); err == nil || !strings.Contains(err.Error(), "second queue") {
			t.Errorf("compute on the second queue: %v", err)
		}
	}
	list := func() []*vk.Commands { return []*vk.Commands{record(t, d)} }
	for want, phases := range map[string][]vk.Phase{
		"no phase ends after the last tail": {{Submissions: [][]*vk.Commands{list()}}, {Submissions: [][]*vk.Commands{list()}, Tails: [][]*vk.Commands{list()}}},
		"nothing before it":                 {{Tails: [][]*vk.Commands{list()}}, {Submissions: [][]*vk.Commands{list()}}},
		"its other queue":                   {{Beside: [][]*vk.Commands{list()}}},
		"work for 2 devices":                {{Beside: [][]*vk.Commands{nil, nil}}},
	} {
		if _, err := vk.NewSchedule(devices, phases); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
