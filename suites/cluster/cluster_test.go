package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/all"
	"github.com/amgpu/amgpu/suites/cluster/internal/loop"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// loopNet is a rank of a hub as a Net.
type loopNet struct{ *loop.Net }

func (n loopNet) Engine(channel int) (Engine, error) { return n.Net.Engine(channel) }

// jobOf starts a job of goroutines: each rank owns as many of the adapters as per says. It
// returns rank 0, the pool and whose the devices are.
func jobOf(t testing.TB, adapters []*vk.Adapter, per []int, silence time.Duration) (*Rank, []*vk.Adapter, []int, *loop.Hub) {
	t.Helper()
	hub, err := loop.New(len(per))
	if err != nil {
		t.Fatal(err)
	}
	var followers sync.WaitGroup
	var rank0 *Rank
	var pool []*vk.Adapter
	var home []int
	var joined sync.WaitGroup
	joined.Add(len(per))
	at := 0
	for r, n := range per {
		mine := adapters[at : at+n]
		at += n
		d := Description{Node: fmt.Sprintf("node%d", r), PID: os.Getpid()}
		for _, a := range mine {
			d.Infos = append(d.Infos, *a.Info())
			d.Devices = append(d.Devices, result.Device{Name: a.Info().Name, Software: true})
		}
		followers.Add(1)
		go func() {
			defer followers.Done()
			rank, err := Join(context.Background(), loopNet{hub.Rank(r)}, d, silence)
			if err != nil {
				t.Error(err)
				joined.Done()
				return
			}
			p, _, h := rank.Pool(mine)
			if r == 0 {
				rank0, pool, home = rank, p, h
				joined.Done()
				return
			}
			joined.Done()
			err = rank.Follow(context.Background(), &Follower{Adapters: p, Workloads: suites.Find, Turn: &sampling})
			if err != nil {
				t.Logf("rank %d: %v", r, err)
			}
			rank.Close()
		}()
	}
	joined.Wait()
	if rank0 == nil {
		t.FailNow()
	}
	t.Cleanup(func() {
		rank0.Close()
		followers.Wait()
		hub.Close()
	})
	return rank0, pool, home, hub
}

// sampling is the turn of all followers, which counts how often one was taken. They share it, so
// that it keeps nobody away.
var sampling turns

type turns struct{ taken, given atomic.Int32 }

func (t *turns) Lock()   { t.taken.Add(1) }
func (t *turns) Unlock() { t.given.Add(1) }

// equal divides units among n devices.
func equal(n int) func(units, granule int64) []program.Share {
	return func(units, granule int64) []program.Share {
		granule = max(granule, 1)
		blocks := (units + granule - 1) / granule
		shares := make([]program.Share, n)
		for i := range shares {
			shares[i] = program.Share{Lo: min(blocks*int64(i)/int64(n)*granule, units), Hi: min(blocks*int64(i+1)/int64(n)*granule, units)}
		}
		return shares
	}
}

func request(w suites.Workload, n int, limits suites.Limits) suites.Build {
	info := w.Info()
	b := suites.Build{Size: info.Sizes.S, Base: info.Sizes.S, Label: "S", Count: n, Seed: 42, Params: map[string]int64{}, Divide: equal(n), Limits: limits}
	for _, p := range info.Params {
		b.Params[p.Name] = p.Default
	}
	if len(info.Splits) > 0 {
		b.Split = info.Splits[0]
	}
	if len(info.Algorithms) > 0 {
		b.Algorithm = info.Algorithms[0]
	}
	return b
}

// session is what both kinds of launch offer.
type session interface {
	Verify(context.Context, bool) (engine.Verification, error)
	Sample(context.Context, int) (engine.Sample, error)
	EmptyGate(context.Context) (float64, error)
	Confirm(context.Context) (string, error)
	Close() error
}

// digestOf checks, samples and confirms a launch and returns what it computed.
func digestOf(t *testing.T, s session) string {
	t.Helper()
	ctx := context.Background()
	defer func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	v, err := s.Verify(ctx, true)
	if err != nil || v.Outcome.Wrong != "" {
		t.Fatalf("verify: %s %v", v.Outcome.Wrong, err)
	}
	if _, err := s.EmptyGate(ctx); err != nil {
		t.Fatal(err)
	}
	for _, reps := range []int{1, 3} {
		sample, err := s.Sample(ctx, reps)
		if err != nil {
			t.Fatalf("sample: %v", err)
		}
		if sample.Seconds <= 0 || sample.Times == nil {
			t.Fatalf("a sample of %g s, times %v", sample.Seconds, sample.Times)
		}
		if slices.Max(sample.Times.Compute)+slices.Max(sample.Times.Transfer) <= 0 {
			t.Errorf("no device did anything: %v", sample.Times)
		}
		if sample.Times.Device > sample.Seconds*1.05 {
			t.Errorf("devices were busy %g s in %g s of wall time", sample.Times.Device, sample.Seconds)
		}
		if text := holes(sample.Spans, len(sample.Times.Compute)); text != "" {
			t.Errorf("timeline: %s", text)
		}
	}
	if wrong, err := s.Confirm(ctx); err != nil || wrong != "" {
		t.Fatalf("confirm: %s %v", wrong, err)
	}
	return v.Digest
}

// holes says where a timeline of n devices of all ranks leaves out a time, or a device waits
// while it does something.
func holes(spans []result.Span, n int) string {
	byDevice := map[int][]result.Span{}
	for _, sp := range spans {
		byDevice[sp.Device] = append(byDevice[sp.Device], sp)
	}
	if len(byDevice) != n {
		return fmt.Sprintf("%d of %d devices", len(byDevice), n)
	}
	idle := func(sp result.Span) bool { return sp.Kind == result.KindWait || sp.Kind == result.KindHost }
	const rounding = 2e-9
	for d, list := range byDevice {
		slices.SortStableFunc(list, func(a, b result.Span) int { return cmp.Compare(a.Start, b.Start) })
		last := list[0]
		for _, sp := range list[1:] {
			if sp.Start > last.End+rounding || sp.Start < last.End-rounding && (idle(sp) || idle(last)) {
				return fmt.Sprintf("device %d: %+v after %+v", d, sp, last)
			}
			if sp.End > last.End {
				last = sp
			}
		}
	}
	return ""
}

// TestRanksComputeTheSameBits: four ranks of one device each compute what one process with
// four devices does, bit for bit.
func TestRanksComputeTheSameBits(t *testing.T) {
	_, adapters := vktest.Team(t, "4")
	limits := engine.PoolLimits(adapters)
	rank, pool, home, _ := jobOf(t, adapters, []int{1, 1, 1, 1}, time.Minute)
	for _, id := range representative {
		t.Run(id, func(t *testing.T) {
			w, err := suites.Find(id)
			if err != nil {
				t.Fatal(err)
			}
			sameBits(t, w, rank, pool, home, adapters, limits)
		})
	}
}

// representative are workloads that between them use every step: none, halo, broadcast,
// all-gather, all-reduce by rank and by chunk, reduce-scatter, all-to-all, send, overlap.
var representative = []string{
	"memory/triad", "automata/life", "linalg/matmul", "linalg/reduction", "relativity/nbody", "fusion/tdc-product",
	"comm/allreduce", "comm/reducescatter", "comm/alltoall", "comm/broadcast", "comm/p2p",
}

// TestUnevenRanks: ranks that have several devices, other numbers of them, or none in the
// team, with data on the devices and on the host.
func TestUnevenRanks(t *testing.T) {
	_, adapters := vktest.Team(t, "4")
	limits := engine.PoolLimits(adapters)
	rank, pool, home, _ := jobOf(t, adapters, []int{1, 2, 1}, time.Minute)
	pick := func(from []*vk.Adapter, at ...int) (out []*vk.Adapter) {
		for _, i := range at {
			out = append(out, from[i])
		}
		return out
	}
	for _, c := range []struct {
		id        string
		team      []int
		residency string
	}{
		{"automata/life", []int{0, 1, 2, 3}, engine.EndToEnd},
		{"comm/allreduce", []int{3, 1, 0, 2}, engine.Resident}, // no rank's devices lie together
		{"linalg/matmul", []int{1, 2}, engine.Resident},        // within one rank that does not lead
		{"comm/alltoall", []int{2, 3}, engine.EndToEnd},        // without rank 0
		{"relativity/nbody", []int{3}, engine.Resident},
	} {
		t.Run(fmt.Sprint(c.id, c.team), func(t *testing.T) {
			w, err := suites.Find(c.id)
			if err != nil {
				t.Fatal(err)
			}
			spec := engine.Spec{Workload: w, Build: request(w, len(c.team), limits), Adapters: pick(adapters, c.team...), Transport: "auto", Residency: c.residency}
			one, err := engine.Launch(context.Background(), spec)
			if err != nil {
				t.Fatal(err)
			}
			want := digestOf(t, one)
			spec.Adapters = pick(pool, c.team...)
			homes := make([]int, len(c.team))
			for i, at := range c.team {
				homes[i] = home[at]
			}
			many, err := rank.Launch(context.Background(), spec, homes)
			if err != nil {
				t.Fatal(err)
			}
			if list := many.Facts().Granularity; len(list) != len(c.team) || slices.Min(list) <= 0 {
				t.Errorf("granularity %v of the clocks of %d devices", list, len(c.team))
			}
			before := sampling.taken.Load()
			if got := digestOf(t, many); got != want {
				t.Errorf("digest %s over ranks, %s in one process", got, want)
			}
			others := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(homes))), func(h int) bool { return h == 0 })
			if n := int(sampling.taken.Load() - before); n != 2*len(others) || sampling.given.Load() != sampling.taken.Load() {
				t.Errorf("the turn was taken %d times in two samples of ranks %v", n, homes)
			}
		})
	}
}

func sameBits(t *testing.T, w suites.Workload, rank *Rank, pool []*vk.Adapter, home []int, adapters []*vk.Adapter, limits suites.Limits) {
	t.Helper()
	b := request(w, len(adapters), limits)
	one, err := engine.Launch(context.Background(), engine.Spec{Workload: w, Build: b, Adapters: adapters, Transport: "auto"})
	if errors.Is(err, vk.ErrUnsupported) { // there as here
		if _, err := rank.Launch(context.Background(), engine.Spec{Workload: w, Build: b, Adapters: pool, Transport: "auto"}, home); !errors.Is(err, vk.ErrUnsupported) {
			t.Errorf("over ranks: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	want := digestOf(t, one)
	many, err := rank.Launch(context.Background(), engine.Spec{Workload: w, Build: b, Adapters: pool, Transport: "auto"}, home)
	if err != nil {
		t.Fatal(err)
	}
	if got := digestOf(t, many); got != want {
		t.Errorf("digest %s over ranks, %s in one process", got, want)
	}
}
