package vk_test

import (
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// Everything that takes slices, while the garbage collector runs all the time
// and freed memory is reused at once: a slice that C keeps would be overwritten.
func TestGarbageCollectorStress(t *testing.T) {
	_, devices := vktest.Devices(t, "2")
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	stop := make(chan struct{})
	var collector sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				junk := make([][]byte, 64)
				for i := range junk {
					junk[i] = make([]byte, 16<<i%8)
					for k := range junk[i] {
						junk[i][k] = 0xa5
					}
				}
				runtime.GC()
			}
		}
	})
	defer collector.Wait()
	defer close(stop)

	const n, runs = 64, 60
	var down []*vk.Buffer
	for _, d := range devices {
		down = append(down, buffer(t, d, 4*n, vk.HostRead))
	}
	for run := range uint32(runs) {
		phase := vk.Phase{}
		for i, d := range devices {
			src, err := d.NewBuffer(4*n, vk.DeviceLocal)
			if err != nil {
				t.Fatal(err)
			}
			dst, err := d.NewBuffer(4*n, vk.DeviceLocal)
			if err != nil {
				t.Fatal(err)
			}
			k, err := d.NewKernel(spirv(t, "affine"), vk.KernelOptions{Name: "affine", Bindings: 2, PushBytes: 12, Spec: []vk.SpecConst{{ID: 0, Value: groupSize}, {ID: 1, Value: run}}})
			if err != nil {
				t.Fatal(err)
			}
			c, err := d.Record([]vk.Op{
				fill(src, run), barrier(vk.StageTransfer, vk.StageCompute),
				dispatch(k, set(t, d, k, src, dst), n, 10, uint32(i)), barrier(vk.StageCompute, vk.StageTransfer),
				copyAll(dst, down[i]), barrier(vk.StageTransfer, vk.StageHost),
			})
			if err != nil {
				t.Fatal(err)
			}
			phase.Submissions = append(phase.Submissions, []*vk.Commands{c})
			defer func() {
				for _, x := range []interface{ Close() error }{c, k, src, dst} {
					closes(t, x)
				}
			}()
		}
		s, err := vk.NewSchedule(devices, []vk.Phase{phase})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(limit(t)); err != nil {
			t.Fatal(err)
		}
		closes(t, s)
		for i, b := range down {
			check(t, b.Bytes(), func(int) uint32 { return run*11 + uint32(i) })
		}
	}
}
