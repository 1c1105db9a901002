package vk_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// both runs a test with blocking waits and with polling.
func both(t *testing.T, test func(t *testing.T, wait waiting)) {
	t.Run("blocking", func(t *testing.T) { test(t, vk.NewSchedule) })
	t.Run("polling", func(t *testing.T) { test(t, vk.NewPollingSchedule) })
}

// One block of host memory imported by two devices carries data from one to the
// other within a schedule: the second device's copy is queued before the first
// device has written.
func TestHostBlockRelay(t *testing.T) {
	_, devices := vktest.Devices(t, "2")
	hostBlockRelay(t, devices)
}

func hostBlockRelay(t *testing.T, devices []*vk.Device) {
	t.Helper()
	a, b := devices[0], devices[1]
	const n = 3000
	block, err := vk.NewHostBlock(4 * n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closes(t, block) })
	var imports []*vk.Buffer
	for _, d := range devices {
		i, err := d.Import(block)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closes(t, i) })
		imports = append(imports, i)
	}
	src, down := buffer(t, a, 4*n, vk.DeviceLocal), buffer(t, b, 4*n, vk.HostRead)
	k := kernel(t, a, "step", 1, 1)
	out := record(t, a,
		barrier(vk.StageTransfer|vk.StageCompute, vk.StageCompute|vk.StageTransfer),
		dispatch(k, set(t, a, k, src), n),
		barrier(vk.StageCompute, vk.StageTransfer),
		vk.Op{Kind: vk.OpCopy, Src: src, Dst: imports[0], Size: 4 * n},
		barrier(vk.StageTransfer, vk.StageHost))
	in := record(t, b,
		barrier(vk.StageTransfer|vk.StageHost, vk.StageTransfer),
		vk.Op{Kind: vk.OpCopy, Src: imports[1], Dst: down, Size: 4 * n},
		barrier(vk.StageTransfer, vk.StageHost))
	s := schedule(t, vk.NewSchedule, devices,
		vk.Phase{Submissions: [][]*vk.Commands{{out}, nil}},
		vk.Phase{Submissions: [][]*vk.Commands{nil, {in}}})
	do(t, a, fill(src, 1))
	want := make([]uint32, n)
	for i := range want {
		want[i] = 1
	}
	for range 50 {
		if _, err := s.Run(limit(t)); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i] = want[i]*3 + uint32(i)
		}
		check(t, down.Bytes(), func(i int) uint32 { return want[i] })
	}
}

// ring passes n words around a team by staging memory, one hop a phase.
type ring struct {
	devices  []*vk.Device
	schedule *vk.Schedule
	down     []*vk.Buffer
	length   int
}

const ringWords = 512

// newRing starts with the value 1 on every device. In every phase each device
// runs a step on its words and sends them to its neighbour.
func newRing(t *testing.T, wait waiting, devices []*vk.Device, phases int) *ring {
	t.Helper()
	n := len(devices)
	r := &ring{devices: devices, length: phases}
	const size = 4 * ringWords
	up := make([]*vk.Buffer, n)
	steps := make([]*vk.Commands, n*phases)
	for i, d := range devices {
		up[i] = buffer(t, d, size, vk.HostWrite)
		r.down = append(r.down, buffer(t, d, size, vk.HostRead))
		v := buffer(t, d, size, vk.DeviceLocal)
		putWords(up[i].Bytes(), func(int) uint32 { return 1 })
		k := kernel(t, d, "step", 1, 1)
		st := set(t, d, k, v)
		for p := range phases {
			steps[p*n+i] = record(t, d,
				barrier(vk.StageHost|vk.StageTransfer|vk.StageCompute, vk.StageTransfer),
				copyAll(up[i], v),
				barrier(vk.StageTransfer, vk.StageCompute),
				dispatch(k, st, ringWords),
				barrier(vk.StageCompute, vk.StageTransfer),
				copyAll(v, r.down[i]),
				barrier(vk.StageTransfer, vk.StageHost))
		}
	}
	var list []vk.Phase
	for p := range phases {
		ph := vk.Phase{Submissions: make([][]*vk.Commands, n)}
		for i := range devices {
			ph.Submissions[i] = []*vk.Commands{steps[p*n+i]}
			ph.Copies = append(ph.Copies, vk.HostCopy{Dst: up[(i+1)%n].Bytes(), Src: r.down[i].Bytes()})
		}
		list = append(list, ph)
	}
	r.schedule = schedule(t, wait, devices, list...)
	return r
}

func (r *ring) check(t *testing.T, runs int) {
	t.Helper()
	want := make([]uint32, ringWords)
	for i := range want {
		want[i] = 1
		for range runs * r.length {
			want[i] = want[i]*3 + uint32(i)
		}
	}
	for _, down := range r.down {
		check(t, down.Bytes(), func(i int) uint32 { return want[i] })
	}
}

// Staging relay: 3 devices, 5 phases, 200 runs; times are in order.
func TestStagingRing(t *testing.T) { both(t, stagingRing) }

func stagingRing(t *testing.T, wait waiting) {
	_, devices := vktest.Devices(t, "3")
	const phases, runs = 5, 200
	r := newRing(t, wait, devices, phases)
	ctx := limit(t)
	for range runs {
		tm, err := r.schedule.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		last := tm.Opened
		for i, at := range tm.Signalled {
			if at < last {
				t.Fatalf("device %d was signalled at %d, before %d", i, at, last)
			}
			last = at
		}
		for p, at := range tm.PhaseDone {
			if at < last {
				t.Fatalf("phase %d ended at %d, before %d", p, at, last)
			}
			last = at
		}
		for i, at := range tm.Done {
			if at > last || at < tm.PhaseDone[phases-2] {
				t.Fatalf("device %d was done at %d, the last phase ran from %d to %d", i, at, tm.PhaseDone[phases-2], last)
			}
		}
	}
	r.check(t, runs)
}

// Devices that idle in some phases, phases of copies alone in front of more work
// than is submitted ahead, and several submissions in one phase.
func TestUnevenSchedule(t *testing.T) { both(t, unevenSchedule) }

func unevenSchedule(t *testing.T, wait waiting) {
	_, devices := vktest.Devices(t, "2")
	d := devices[0]
	const n = 256
	down := buffer(t, d, 4*n, vk.HostRead)
	v := buffer(t, d, 4*n, vk.DeviceLocal)
	k := kernel(t, d, "step", 1, 1)
	st := set(t, d, k, v)
	var two []*vk.Commands
	for range 2 {
		two = append(two, record(t, d, barrier(vk.StageTransfer|vk.StageCompute, vk.StageCompute), dispatch(k, st, n)))
	}
	get := record(t, d, barrier(vk.StageCompute, vk.StageTransfer), copyAll(v, down), barrier(vk.StageTransfer, vk.StageHost))
	block, err := vk.NewHostBlock(8)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closes(t, block) })
	phases := make([]vk.Phase, 12)
	phases[0].Submissions = [][]*vk.Commands{two}
	phases[10].Submissions = [][]*vk.Commands{{get}, nil}
	phases[11].Copies = []vk.HostCopy{{Dst: block.Bytes()[:4], Src: down.Bytes()[4*n-4 : 4*n]}}
	do(t, d, fill(v, 5))
	s := schedule(t, wait, devices, phases...)
	start := time.Now()
	const runs = 20
	for range runs {
		if _, err := s.Run(limit(t)); err != nil {
			t.Fatal(err)
		}
	}
	// A wait for work that is not submitted yet lasts whole slices of 50 ms: without
	// care six of them in each run.
	if took := time.Since(start); took > runs*150*time.Millisecond {
		t.Errorf("%d runs took %v", runs, took)
	}
	want := func(i int) uint32 {
		x := uint32(5)
		for range 2 * runs {
			x = x*3 + uint32(i)
		}
		return x
	}
	check(t, down.Bytes(), want)
	check(t, block.Bytes()[:4], func(int) uint32 { return want(n - 1) })
}

// busy is a schedule of many phases that would run for minutes.
func busy(t *testing.T, wait waiting, devices []*vk.Device, phases int) *vk.Schedule {
	t.Helper()
	list := make([]vk.Phase, phases)
	for _, d := range devices {
		const n = 1 << 12
		v := buffer(t, d, 4*n, vk.DeviceLocal)
		k := kernel(t, d, "spin", 1, 2)
		st := set(t, d, k, v)
		do(t, d, fill(v, 0))
		for p := range list {
			c := record(t, d, barrier(vk.StageCompute|vk.StageTransfer, vk.StageCompute), dispatch(k, st, n, 4000))
			list[p].Submissions = append(list[p].Submissions, []*vk.Commands{c})
		}
	}
	return schedule(t, wait, devices, list...)
}

// A context that ends in the middle of a run stops it soon; schedule and devices
// work on after that.
func TestCancelInTheMiddle(t *testing.T) { both(t, cancelInTheMiddle) }

func cancelInTheMiddle(t *testing.T, wait waiting) {
	_, devices := vktest.Devices(t, "2")
	const phases = 300
	s := busy(t, wait, devices, phases)
	r := newRing(t, wait, devices, 5)
	for _, after := range []time.Duration{0, 5 * time.Millisecond, 100 * time.Millisecond} {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(after, cancel)
		start := time.Now()
		if _, err := s.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %v: %v", after, err)
		}
		// The bound is that of the C side, which waits for what was queued.
		if took := time.Since(start); took > after+15*time.Second {
			t.Errorf("a cancel after %v was seen after %v", after, took)
		}
		cancel()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a deadline: %v", err)
	}
	if _, err := s.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a deadline in the past: %v", err)
	}
	const runs = 10
	for range runs {
		if _, err := r.schedule.Run(limit(t)); err != nil {
			t.Fatal(err)
		}
	}
	r.check(t, runs)
}

// The same in a schedule whose only phase is already released when the context
// ends: its go value must not be signalled twice.
func TestCancelInTheLastPhase(t *testing.T) { both(t, cancelInTheLastPhase) }

func cancelInTheLastPhase(t *testing.T, wait waiting) {
	_, devices := vktest.Devices(t, "1")
	d := devices[0]
	const n = 1 << 14
	v := buffer(t, d, 4*n, vk.DeviceLocal)
	k := kernel(t, d, "spin", 1, 2)
	st := set(t, d, k, v)
	do(t, d, fill(v, 0))
	c := record(t, d, barrier(vk.StageCompute|vk.StageTransfer, vk.StageCompute), dispatch(k, st, n, 30000))
	s := schedule(t, wait, devices, vk.Phase{Submissions: [][]*vk.Commands{{c}}})
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
	defer cancel()
	if _, err := s.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v: the kernel is too short for this test", err)
	}
	if _, err := s.Run(limit(t)); err != nil {
		t.Error(err)
	}
}

// Contexts that end at any time of many short runs: a late cancel never hits the
// next run.
func TestCancelRaces(t *testing.T) { both(t, cancelRaces) }

func cancelRaces(t *testing.T, wait waiting) {
	_, devices := vktest.Devices(t, "2")
	r := newRing(t, wait, devices, 2)
	for i := range 200 {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Duration(i%20)*100*time.Microsecond, cancel)
		if _, err := r.schedule.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
		if _, err := r.schedule.Run(context.Background()); err != nil {
			t.Fatalf("run after a cancelled one: %v", err)
		}
	}
}

func TestScheduleRefuses(t *testing.T) {
	_, devices := vktest.Devices(t, "2")
	v := buffer(t, devices[0], 64, vk.DeviceLocal)
	c := record(t, devices[0], fill(v, 1))
	up := buffer(t, devices[0], 64, vk.HostWrite)
	closed, err := devices[0].Record([]vk.Op{fill(v, 1)})
	if err != nil {
		t.Fatal(err)
	}
	closes(t, closed)
	for _, test := range []struct {
		name    string
		devices []*vk.Device
		phases  []vk.Phase
	}{
		{"no device", nil, []vk.Phase{{}}},
		{"no phase", devices, nil},
		{"a device twice", []*vk.Device{devices[0], devices[0]}, []vk.Phase{{}}},
		{"commands of another device", devices, []vk.Phase{{Submissions: [][]*vk.Commands{nil, {c}}}}},
		{"commands for more devices than there are", devices[:1], []vk.Phase{{Submissions: [][]*vk.Commands{nil, {c}}}}},
		{"commands twice", devices, []vk.Phase{{Submissions: [][]*vk.Commands{{c}}}, {Submissions: [][]*vk.Commands{{c}}}}},
		{"closed commands", devices, []vk.Phase{{Submissions: [][]*vk.Commands{{closed}}}}},
		{"no commands", devices, []vk.Phase{{Submissions: [][]*vk.Commands{{nil}}}}},
		{"copy of unequal lengths", devices, []vk.Phase{{Copies: []vk.HostCopy{{Dst: up.Bytes(), Src: up.Bytes()[:8]}}}}},
	} {
		if s, err := vk.NewSchedule(test.devices, test.phases); err == nil {
			t.Errorf("%s: no error", test.name)
			closes(t, s)
		}
	}
	s := schedule(t, vk.NewSchedule, devices, vk.Phase{})
	closes(t, s)
	if _, err := s.Run(limit(t)); err == nil {
		t.Error("a closed schedule ran")
	}
}
