package peer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// together gives each engine of a schedule a starter, of which there must be two.
func together(t *testing.T) func(*vk.Schedule) {
	t.Helper()
	return func(s *vk.Schedule) {
		for range 2 { // asking again changes nothing
			if n := s.StartTogether(); n != 2 {
				t.Fatalf("%d starters for two engines", n)
			}
		}
	}
}

// Engines of two devices start their copies at the same time: each waits in its start
// until the other has begun, which one thread could never do.
func TestStartersMeet(t *testing.T) {
	fake := fakeCUDA(t)
	r := routes(t, open(t, "3"), fake, kind{name: Host, make: newHost})
	t.Setenv("FAKECUDA_MEET", "2")
	if err := everyLinkOf(t, r, t.Context(), 10, together(t)); err != nil {
		t.Error(err)
	}
	err := everyLink(t, r, t.Context(), 1)
	if err == nil || !strings.Contains(err.Error(), "the start of a peer copy by CUDA from device ") {
		t.Errorf("one thread: %v", err)
	}
}

// An error of a starter is named with its device and its own error, whichever it is, and
// does not leave anything behind.
func TestStarterThatFails(t *testing.T) {
	fake := fakeCUDA(t)
	r := routes(t, open(t, "3"), fake, kind{name: Staging, make: newStaging})
	for _, test := range []struct{ call, want string }{
		{"cuCtxSetCurrent", "the start of a peer copy by CUDA from device "},
		{"cuMemcpyDtoDAsync", "the start of a peer copy by CUDA from device "},
		{"cuEventRecord", "the start of a peer copy by CUDA from device "},
		{"cuEventQuery", "a peer copy by CUDA from device "},
	} {
		t.Setenv("FAKECUDA_FAIL", test.call)
		err := everyLinkOf(t, r, t.Context(), 2, together(t))
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.call+": CUDA_ERROR_UNKNOWN") {
			t.Errorf("%s fails: %v", test.call, err)
		}
		t.Setenv("FAKECUDA_FAIL", "")
		if err := everyLinkOf(t, r, t.Context(), 2, together(t)); err != nil {
			t.Errorf("after %s failed: %v", test.call, err)
		}
	}
	// Only the engine that was made second fails, in the thread of its own.
	t.Setenv("FAKECUDA_FAIL_STREAM", "1")
	err := everyLinkOf(t, r, t.Context(), 1, together(t))
	if err == nil || !strings.Contains(err.Error(), "the start of a peer copy by CUDA from device 1") {
		t.Errorf("the second engine fails: %v", err)
	}
	t.Setenv("FAKECUDA_FAIL_STREAM", "")
	if err := everyLinkOf(t, r, t.Context(), 2, together(t)); err != nil {
		t.Errorf("after the second engine failed: %v", err)
	}
}

// called counts the calls of the fake driver in its log.
func called(t *testing.T, log, name string) int {
	t.Helper()
	raw, err := os.ReadFile(log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(raw), name+" ")
}

// A cancelled run comes back only when what its starters began is over: a start that takes
// long, then the copy.
func TestCancelWaitsForStarter(t *testing.T) {
	fake := fakeCUDA(t)
	r := routes(t, open(t, "3"), fake, kind{name: Host, make: newHost})
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("FAKECUDA_LAG", "0:1500")
	t.Setenv("FAKECUDA_LOG", log)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := make(chan struct{})
	err := everyLinkOf(t, r, ctx, 1, func(s *vk.Schedule) {
		together(t)(s)
		go func() {
			defer close(begun)
			for called(t, log, "cuMemcpyDtoDAsync") < 2 && t.Context().Err() == nil {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
	})
	<-begun
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if starts, marked := called(t, log, "cuMemcpyDtoDAsync"), called(t, log, "cuEventRecord"); marked != 2 || starts != 2 {
		t.Errorf("back after %d starts, of which %d are over", starts, marked)
	}
	t.Setenv("FAKECUDA_LAG", "")
	t.Setenv("FAKECUDA_LOG", "")
	if err := everyLinkOf(t, r, t.Context(), 20, together(t)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Schedules come and go with their threads, also those that never run.
func TestStartersComeAndGo(t *testing.T) {
	fake := fakeCUDA(t)
	r := routes(t, open(t, "3"), fake, kind{name: Host, make: newHost})
	for k := range 20 {
		if err := everyLinkOf(t, r, t.Context(), k%3, together(t)); err != nil {
			t.Fatal(err)
		}
	}
}

// A starter that does not come back from its engine in time leaves the devices that it
// copies between stuck; the run and the end of its schedule are bounded all the same.
func TestStarterThatHangs(t *testing.T) {
	fake := fakeCUDA(t)
	_, adapters := vktest.Team(t, "2")
	var team []*vk.Device
	for _, a := range adapters {
		d, err := a.Open(vk.DeviceOptions{SyncTimeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		team = append(team, d)
	}
	r, err := newRoutes([]kind{fake}, nil, team) // left as it is: the thread uses it
	if err != nil {
		t.Fatal(err)
	}
	p := newProber(team)
	ends := make([]*probeEnd, len(team))
	for i := range team {
		if ends[i], err = p.end(i); err != nil {
			t.Fatal(err)
		}
	}
	rounds, _, err := r.Rounds([]Move{
		{From: 0, To: 1, Src: ends[0].src, Dst: ends[1].dst, Size: 256}, {From: 1, To: 0, Src: ends[1].src, Dst: ends[0].dst, Size: 256},
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newChain(team, rounds).schedule()
	if err != nil {
		t.Fatal(err)
	}
	together(t)(s)
	const hangs = 12 * time.Second
	t.Setenv("FAKECUDA_LAG", "0:12000")
	before := time.Now()
	if _, err := s.Run(t.Context()); !errors.Is(err, vk.ErrTimeout) {
		t.Errorf("a start that hangs: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, d := range team {
		if !d.Stuck() {
			t.Errorf("device %d is not stuck", d.Info().Index)
		}
		if err := d.Close(); !errors.Is(err, vk.ErrStuck) {
			t.Errorf("closing device %d: %v", d.Info().Index, err)
		}
	}
	if took := time.Since(before); took > hangs {
		t.Errorf("back after %v", took)
	}
	time.Sleep(hangs - time.Since(before) + time.Second) // until the thread is gone
}
