//go:build gpu

package peer

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

func openGPUs(t testing.TB, n int) ([]*vk.Adapter, []*vk.Device) {
	t.Helper()
	adapters := vktest.GPUs(t, n)
	team := make([]*vk.Device, n)
	for i, a := range adapters {
		d, err := a.Open(vk.DeviceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		team[i] = d
	}
	return adapters, team
}

// Every transport that two GPUs of this machine have carries data both ways, and
// every link by itself and all at once.
func TestGPUTransports(t *testing.T) {
	adapters, team := openGPUs(t, 2)
	for _, name := range []string{"auto", CUDA, Host, Staging} {
		for range 2 { // the second time contexts and pipelines are there
			began := time.Now()
			r, err := New(Options{Transport: name}, team)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			t.Logf("%s: verified %v in %v; passed over %v", name, r, time.Since(began), r.Excluded())
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := New(Options{Transport: DmaBuf}, team); err != nil {
		t.Logf("%v", err)
	}
	for _, name := range []string{CUDA, Host, Staging} {
		links, err := Survey(context.Background(), adapters, Options{Transport: name})
		if err != nil {
			t.Error(err)
		}
		for _, l := range links {
			t.Logf("%s %d -> %d: %.1f GB/s alone, %.1f both ways, %.1f us for 4 bytes %s", l.Transport, l.From, l.To, l.Bandwidth*1e-9, l.BothWays*1e-9, l.Latency*1e6, l.Problem)
		}
	}
}

// BenchmarkGPUVerify times finding and verifying all links of open GPUs, of which nothing is
// remembered. Bound: the second of rest between two tries; 3 s are promised for four.
func BenchmarkGPUVerify(b *testing.B) {
	for _, n := range []int{2, 4} {
		b.Run(fmt.Sprintf("devices=%d", n), func(b *testing.B) {
			_, team := openGPUs(b, n)
			for b.Loop() {
				r, err := New(Options{}, team)
				if err != nil {
					b.Fatal(err)
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Data of odd lengths crosses all links at once, many times.
func TestGPUExchange(t *testing.T) {
	_, team := openGPUs(t, 2)
	for _, name := range []string{CUDA, Host} {
		r, err := New(Options{Transport: name}, team)
		if err != nil {
			t.Fatal(err)
		}
		if err := everyLink(t, r, t.Context(), 500); err != nil {
			t.Error(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// run is the median wall time of a schedule.
func median(t *testing.T, c *chain) float64 {
	t.Helper()
	s, err := c.schedule()
	if err != nil {
		t.Fatal(err)
	}
	var times []float64
	for range 8 {
		timing, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, float64(slices.Max(timing.Done)-timing.Opened)*1e-9)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
	slices.Sort(times[1:])
	return times[4]
}

// What host memory gives on this machine, without any hand-over: one device
// copies out of its memory while the other one copies in; both do both. And the
// host transport for several lengths.
func TestGPUHostRates(t *testing.T) {
	_, team := openGPUs(t, 2)
	const size = 256 << 20
	host, err := newHost(team)
	if err != nil {
		t.Fatal(err)
	}
	block, err := host.(*hostTransport).block(2*size, 0)
	if err != nil {
		t.Fatal(err)
	}
	var bufs [2][2]*vk.Buffer
	for i, d := range team {
		for k := range bufs[i] {
			if bufs[i][k], err = d.NewBuffer(size, vk.DeviceLocal); err != nil {
				t.Fatal(err)
			}
		}
	}
	out := func(i int, at uint64) vk.Op { return copyOp(bufs[i][0], 0, block.imports[i], at, size) }
	in := func(i int, at uint64) vk.Op { return copyOp(block.imports[i], at, bufs[i][1], 0, size) }
	for _, test := range []struct {
		name string
		ops  [2][]vk.Op
	}{
		{"out", [2][]vk.Op{{out(0, 0)}, nil}},
		{"in", [2][]vk.Op{nil, {in(1, size)}}},
		{"out beside in", [2][]vk.Op{{out(0, 0)}, {in(1, size)}}},
		{"out and in on both", [2][]vk.Op{{out(0, 0), in(0, size)}, {out(1, size), in(1, 0)}}},
	} {
		c := newChain(team, nil)
		for i, ops := range test.ops {
			if len(ops) > 0 {
				c.before(i, ops...)
			}
		}
		t.Logf("%s: %.1f GB/s for each", test.name, size/median(t, c)*1e-9)
	}
	for _, n := range []uint64{1 << 20, 8 << 20, 64 << 20, size} {
		for _, both := range []bool{false, true} {
			moves := []Move{{From: 0, To: 1, Src: bufs[0][0], Dst: bufs[1][1], Size: n}}
			if both {
				moves = append(moves, Move{From: 1, To: 0, Src: bufs[1][0], Dst: bufs[0][1], Size: n})
			}
			rounds, _, err := host.Rounds(moves, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("transport, %d MiB, both ways %v: %.1f GB/s each way in %d rounds", n>>20, both, float64(n)/median(t, newChain(team, rounds))*1e-9, len(rounds))
		}
	}
	if err := host.Close(); err != nil {
		t.Error(err)
	}
}

// Memory of CUDA is as fast for shaders as Vulkan's own.
func TestGPUMemoryOfCUDA(t *testing.T) {
	_, team := openGPUs(t, 2)
	const size = 1 << 30
	rate := func(what string) {
		e := &probeEnd{}
		if err := e.kernels(team[0]); err != nil {
			t.Fatal(err)
		}
		b, err := team[0].NewBuffer(size, vk.DeviceLocal)
		if err != nil {
			t.Fatal(err)
		}
		set, err := team[0].NewSet(e.pattern, []vk.BufferRange{{Buffer: b, Size: size}})
		if err != nil {
			t.Fatal(err)
		}
		c := newChain(team, nil)
		for range 20 {
			c.before(0, vk.Op{Kind: vk.OpDispatch, Kernel: e.pattern, Set: set, Push: []uint32{size / 4, 1, 0}, Groups: grid(size / 4)})
		}
		t.Logf("%s: a shader writes %.0f GB/s", what, 20*size/median(t, c)*1e-9)
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	rate("own memory")
	r, err := New(Options{Transport: CUDA}, team)
	if err != nil {
		t.Fatal(err)
	}
	rate("CUDA's memory")
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// How long a hand-over by copy engines takes from the end of the Vulkan work to
// the arrival of the data, by length, by the directions at once, and by what the
// GPUs did before.
func TestGPUHandOver(t *testing.T) {
	_, team := openGPUs(t, 2)
	r, err := New(Options{Transport: CUDA}, team)
	if err != nil {
		t.Fatal(err)
	}
	const room = 256 << 20
	var bufs [2]*vk.Buffer
	var ends [2]probeEnd
	var sets [2]*vk.Set
	for i, d := range team {
		if bufs[i], err = d.NewBuffer(room, vk.DeviceLocal); err != nil {
			t.Fatal(err)
		}
		if err = ends[i].kernels(d); err != nil {
			t.Fatal(err)
		}
		if sets[i], err = d.NewSet(ends[i].pattern, []vk.BufferRange{{Buffer: bufs[i], Size: room / 2}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, work := range []struct {
		name    string
		n, reps uint32
	}{{"no work", 0, 0}, {"4 KiB written", 1024, 1}, {"0.8 ms of work", room / 8, 10}} {
		for _, both := range []bool{false, true} {
			for _, size := range []uint64{4, 12, 256, 4096, 64 << 10, 1 << 20} {
				moves := []Move{{From: 0, To: 1, Src: bufs[0], Dst: bufs[1], DstOff: room / 2, Size: size}}
				if both {
					moves = append(moves, Move{From: 1, To: 0, Src: bufs[1], Dst: bufs[0], DstOff: room / 2, Size: size})
				}
				rounds, _, err := r.Rounds(moves, 0)
				if err != nil {
					t.Fatal(err)
				}
				c := newChain(team, rounds)
				for i := range team {
					c.before(i)
					for range work.reps {
						c.before(i, vk.Op{Kind: vk.OpDispatch, Kernel: ends[i].pattern, Set: sets[i], Push: []uint32{work.n, 1, 0}, Groups: grid(work.n)})
					}
					c.after(i)
				}
				s, err := c.schedule()
				if err != nil {
					t.Fatal(err)
				}
				var moved, whole []float64
				for range 41 {
					timing, err := s.Run(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					moved = append(moved, float64(timing.PhaseMoved[0]-timing.PhaseDone[0])*1e-3)
					whole = append(whole, float64(timing.PhaseDone[1]-timing.Opened)*1e-3)
				}
				if err := c.close(); err != nil {
					t.Error(err)
				}
				slices.Sort(moved)
				slices.Sort(whole)
				t.Logf("%s, both ways %v, %d bytes: %.1f us (%.1f to %.1f), whole step %.1f us", work.name, both, size, moved[20], moved[4], moved[36], whole[20])
			}
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
