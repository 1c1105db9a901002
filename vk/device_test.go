package vk_test

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// Fill, copy up, dispatch and copy down, with push and specialization constants.
func TestRoundTrip(t *testing.T) {
	_, devices := vktest.Devices(t, "1")
	roundTrip(t, devices[0])
}

func roundTrip(t *testing.T, d *vk.Device) {
	t.Helper()
	const n = 1000 // not a multiple of the work-group
	up, down := buffer(t, d, 4*n, vk.HostWrite), buffer(t, d, 4*n, vk.HostRead)
	src, dst := buffer(t, d, 4*n, vk.DeviceLocal), buffer(t, d, 4*n, vk.DeviceLocal)
	k := kernel(t, d, "affine", 2, 3, vk.SpecConst{ID: 1, Value: 1000000})
	putWords(up.Bytes(), func(i int) uint32 { return uint32(i * i) })
	do(t, d,
		fill(dst, 7),
		copyAll(up, src),
		barrier(vk.StageTransfer, vk.StageCompute),
		dispatch(k, set(t, d, k, src, dst), n-1, 3, 5), // the last word stays
		barrier(vk.StageCompute, vk.StageTransfer),
		copyAll(dst, down),
		barrier(vk.StageTransfer, vk.StageHost),
	)
	check(t, down.Bytes(), func(i int) uint32 {
		if i == n-1 {
			return 7
		}
		return uint32(i*i)*3 + 5 + 1000000
	})
}

// A chain of dependent in-place dispatches, re-submitted: the order is kept by
// barriers inside and between submissions.
func TestBarriersKeepOrder(t *testing.T) {
	_, devices := vktest.Devices(t, "1")
	barriersKeepOrder(t, devices[0])
}

func barriersKeepOrder(t *testing.T, d *vk.Device) {
	t.Helper()
	const n, chain, runs = 4096, 5, 3
	v, down := buffer(t, d, 4*n, vk.DeviceLocal), buffer(t, d, 4*n, vk.HostRead)
	k := kernel(t, d, "step", 1, 1)
	s := set(t, d, k, v)
	do(t, d, fill(v, 11))
	var ops []vk.Op
	for range chain {
		ops = append(ops, barrier(vk.StageCompute|vk.StageTransfer, vk.StageCompute), dispatch(k, s, n))
	}
	c := record(t, d, ops...)
	for range runs {
		if err := d.Do(limit(t), c); err != nil {
			t.Fatal(err)
		}
	}
	do(t, d, barrier(vk.StageCompute, vk.StageTransfer), copyAll(v, down), barrier(vk.StageTransfer, vk.StageHost))
	check(t, down.Bytes(), func(i int) uint32 {
		x := uint32(11)
		for range chain * runs {
			x = x*3 + uint32(i)
		}
		return x
	})
}

// Many kernels and sets in one recording: every dispatch sees its own pipeline,
// set and push constants, odd numbers of push words included.
func TestDispatchesKeepTheirState(t *testing.T) {
	_, devices := vktest.Devices(t, "1")
	d := devices[0]
	const n, many = 64, 300 // more sets than one descriptor pool holds
	affine := []*vk.Kernel{
		kernel(t, d, "affine", 2, 3, vk.SpecConst{ID: 1, Value: 10}),
		kernel(t, d, "affine", 2, 3, vk.SpecConst{ID: 1, Value: 20}),
	}
	src, down := buffer(t, d, 4*n, vk.DeviceLocal), buffer(t, d, 4*n*many, vk.HostRead)
	align := max(d.Info().Limits.StorageAlign, 4*n)
	out := buffer(t, d, align*many, vk.DeviceLocal)
	ops := []vk.Op{fill(src, 2), barrier(vk.StageTransfer, vk.StageCompute)}
	for i := range many {
		k := affine[i/3%2]
		s, err := d.NewSet(k, []vk.BufferRange{{Buffer: src, Size: 4 * n}, {Buffer: out, Offset: align * uint64(i), Size: 4 * n}})
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, dispatch(k, s, n, uint32(i), 1))
	}
	ops = append(ops, barrier(vk.StageCompute, vk.StageTransfer))
	for i := range uint64(many) {
		ops = append(ops, vk.Op{Kind: vk.OpCopy, Src: out, SrcOff: align * i, Dst: down, DstOff: 4 * n * i, Size: 4 * n})
	}
	do(t, d, append(ops, barrier(vk.StageTransfer, vk.StageHost))...)
	check(t, down.Bytes(), func(i int) uint32 {
		j := i / n
		return 2*uint32(j) + 1 + 10*uint32(1+j/3%2)
	})
}

func TestTimestamps(t *testing.T) {
	_, devices := vktest.Devices(t, "1")
	timestamps(t, devices[0])
}

func timestamps(t *testing.T, d *vk.Device) {
	t.Helper()
	const n = 1 << 12
	v := buffer(t, d, 4*n, vk.DeviceLocal)
	k := kernel(t, d, "spin", 1, 2)
	s := set(t, d, k, v)
	q, err := d.NewQueries(4)
	if err != nil {
		t.Fatal(err)
	}
	stamp := func(i int) vk.Op { return vk.Op{Kind: vk.OpTimestamp, Queries: q, Query: i} }
	sync := barrier(vk.StageCompute|vk.StageTransfer, vk.StageCompute)
	do(t, d, fill(v, 1), sync, dispatch(k, s, n, 1)) // compiles the kernel on software devices
	c := record(t, d, stamp(0), sync, dispatch(k, s, n, 100), stamp(1), sync, dispatch(k, s, n, 20000), stamp(2))
	ticks := make([]uint64, 4)
	for range 3 {
		if err := q.Reset(); err != nil {
			t.Fatal(err)
		}
		if err := d.Do(limit(t), c); err != nil {
			t.Fatal(err)
		}
		if err := q.Read(ticks); err != nil {
			t.Fatal(err)
		}
		short, long := d.TicksToSeconds(d.SubTicks(ticks[1], ticks[0])), d.TicksToSeconds(d.SubTicks(ticks[2], ticks[1]))
		if short <= 0 || long <= short || long > 30 {
			t.Errorf("the short kernel took %g s, the 200 times longer one %g s", short, long)
		}
		if ticks[3] != 0 || q.Available(3) || !q.Available(2) {
			t.Errorf("a timestamp that nothing wrote reads %d, available %v", ticks[3], q.Available(3))
		}
	}
	if err := q.Read(make([]uint64, 3)); err == nil {
		t.Error("reading fewer timestamps than there are is no error")
	}
	if _, err := d.NewQueries(0); err == nil {
		t.Error("a pool of no timestamps is no error")
	}
}

func TestCalibrate(t *testing.T) {
	_, devices := vktest.Devices(t, "1")
	calibrate(t, devices[0])

	// Newer lavapipe reads the adjusted clock only: what comes out is the raw one.
	before := monotonicRaw(t)
	_, host, dev, err := devices[0].Calibrate()
	if after := monotonicRaw(t); err != nil || host < before-int64(dev) || host > after+int64(dev) {
		t.Errorf("host clock %d, deviation %d, read between %d and %d: %v", host, dev, before, after, err)
	}
}

func monotonicRaw(t *testing.T) int64 {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &now); err != nil {
		t.Fatal(err)
	}
	return now.Nano()
}

func calibrate(t *testing.T, d *vk.Device) {
	t.Helper()
	t1, h1, dev, err := d.Calibrate()
	if err != nil {
		t.Fatal(err)
	}
	t2, h2, _, err := d.Calibrate()
	if err != nil {
		t.Fatal(err)
	}
	if h2 < h1 || h1 <= 0 {
		t.Errorf("host clock went from %d to %d", h1, h2)
	}
	gpu, host := d.TicksToSeconds(d.SubTicks(t2, t1)), float64(h2-h1)*1e-9
	if diff := gpu - host; diff > 1e-3+2e-9*float64(dev) || diff < -1e-3-2e-9*float64(dev) {
		t.Errorf("the device counted %g s, the host %g s, deviation %d ns", gpu, host, dev)
	}
}

// What is left open is freed by Device.Close without a leak report; closing
// twice, or after the device, does nothing.
func TestCloseFreesEverything(t *testing.T) {
	in, adapters := vktest.Team(t, "1")
	d, err := adapters[0].Open(vk.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.NewBuffer(4096, vk.DeviceLocal)
	if err != nil {
		t.Fatal(err)
	}
	block, err := vk.NewHostBlock(4096)
	if err != nil {
		t.Fatal(err)
	}
	imported, err := d.Import(block)
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.NewKernel(spirv(t, "step"), vk.KernelOptions{Name: "step", Bindings: 1, PushBytes: 4, Spec: []vk.SpecConst{{ID: 0, Value: 64}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewSet(k, []vk.BufferRange{{Buffer: b, Size: 4096}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Record([]vk.Op{dispatch(k, s, 1024)})
	if err != nil {
		t.Fatal(err)
	}
	q, err := d.NewQueries(2)
	if err != nil {
		t.Fatal(err)
	}
	sched, err := vk.NewSchedule([]*vk.Device{d}, []vk.Phase{{Submissions: [][]*vk.Commands{{c}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sched.Run(limit(t)); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err == nil {
		t.Error("an instance with an open device was closed")
	}
	for range 2 {
		for _, c := range []interface{ Close() error }{d, b, imported, k, c, q, sched, block} {
			closes(t, c)
		}
	}
	for _, c := range []interface{ Close() error }{
		(*vk.Device)(nil), (*vk.Buffer)(nil), (*vk.HostBlock)(nil), (*vk.Kernel)(nil), (*vk.Commands)(nil), (*vk.Queries)(nil), (*vk.Schedule)(nil), (*vk.Instance)(nil),
	} {
		closes(t, c)
	}
	vktest.Quiet(t, in)
}

func TestMemoryIsShared(t *testing.T) {
	_, devices := vktest.Devices(t, "1")
	d := devices[0]
	var all []*vk.Buffer
	for range 500 {
		b, err := d.NewBuffer(1000, vk.DeviceLocal)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	if blocks, bytes := d.MemoryInUse(); blocks != 1 || bytes < 500*1000 {
		t.Errorf("500 small buffers took %d allocations of %d bytes", blocks, bytes)
	}
	for _, b := range all {
		closes(t, b)
	}
	if blocks, _ := d.MemoryInUse(); blocks != 1 {
		t.Errorf("%d allocations are kept, want the shared one", blocks)
	}
	large, err := d.NewBuffer(100<<20, vk.DeviceLocal)
	if err != nil {
		t.Fatal(err)
	}
	if blocks, _ := d.MemoryInUse(); blocks != 2 {
		t.Errorf("a large buffer makes %d allocations, want one of its own", blocks)
	}
	closes(t, large)
	if blocks, bytes := d.MemoryInUse(); blocks != 1 || bytes >= 100<<20 {
		t.Errorf("%d allocations of %d bytes are left after a large buffer", blocks, bytes)
	}
	if _, err := d.NewBuffer(0, vk.DeviceLocal); err == nil {
		t.Error("a buffer of 0 bytes was made")
	}
	if _, err := d.NewBuffer(1<<60, vk.DeviceLocal); !errors.Is(err, vk.ErrUnsupported) {
		t.Errorf("a huge buffer: %v", err)
	}
}
