package cluster

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestSilentRankIsLost: a rank of which nothing is heard any more ends the launch, and is named.
func TestSilentRankIsLost(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	const silence = 3 * time.Second
	rank, pool, home, hub := jobOf(t, adapters, []int{1, 1, 1}, silence)
	w, err := suites.Find("automata/life")
	if err != nil {
		t.Fatal(err)
	}
	s, err := rank.Launch(context.Background(), engine.Spec{Workload: w, Build: request(w, 3, engine.PoolLimits(adapters)), Adapters: pool, Transport: "auto"}, home)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Verify(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	hub.Silence(2)
	done := make(chan error, 1)
	go func() {
		_, err := s.Sample(context.Background(), 1)
		done <- err
	}()
	select {
	case err = <-done:
	case <-time.After(20 * silence): // many times what it takes
		t.Fatal("a launch with a lost rank does not end")
	}
	if !errors.Is(err, ErrRankLost) || !strings.Contains(err.Error(), "rank 2 on node2") {
		t.Errorf("error %v, want one that names rank 2", err)
	}
	if err := rank.Missing(); !errors.Is(err, ErrRankLost) {
		t.Errorf("missing: %v", err)
	}
	_ = s.Close() // what is left of it
	if _, err := rank.Launch(context.Background(), engine.Spec{Workload: w, Adapters: pool}, home); !errors.Is(err, ErrRankLost) {
		t.Errorf("a launch in a job without rank 2: %v", err)
	}
}

// TestOneRankFails: what happens on one rank is the error of the launch, by its kind and
// with the rank's name, and the next launch works.
func TestOneRankFails(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	rank, pool, home, _ := jobOf(t, adapters, []int{1, 1}, time.Minute)
	w, err := suites.Find("automata/life")
	if err != nil {
		t.Fatal(err)
	}
	spec := engine.Spec{Workload: w, Build: request(w, 2, engine.PoolLimits(adapters)), Adapters: pool, Transport: "auto"}
	small := spec
	small.MemoryBudget = 1 << 10
	if _, err := rank.Launch(context.Background(), small, home); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("without memory: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s, err := rank.Launch(ctx, spec, home)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := s.Verify(ctx, false); !errors.Is(err, context.Canceled) {
		t.Errorf("a launch that is stopped: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	again, err := rank.Launch(context.Background(), spec, home)
	if err != nil {
		t.Fatal(err)
	}
	digestOf(t, again)
}

// TestErrorsTravel: the kind of an error, and the device it names, are known behind the wire.
func TestErrorsTravel(t *testing.T) {
	lost := &vk.CallError{Call: "vkQueueSubmit2", Device: "device 3 (GPU)", Index: 3, Result: vk.DeviceLost}
	body, err := encode(report{Err: pack(errors.Join(errors.New("sample 2"), lost))})
	if err != nil {
		t.Fatal(err)
	}
	var got report
	if err := decode(body, &got); err != nil {
		t.Fatal(err)
	}
	back := error(&RankError{Rank: 1, Node: "n", Err: got.Err.unpack()})
	var call *vk.CallError
	if !errors.Is(back, vk.ErrDeviceLost) || errors.Is(back, vk.ErrOutOfMemory) || !errors.As(back, &call) || call.Index != 3 {
		t.Errorf("%v: %+v", back, call)
	}
	if !strings.Contains(back.Error(), "rank 1 on n: sample 2") {
		t.Errorf("text %q", back)
	}
	if pack(nil).unpack() != nil {
		t.Error("no error has become one")
	}
}

// TestDead: a process that has ended is dead, also before it is waited for.
func TestDead(t *testing.T) {
	if dead(os.Getpid()) {
		t.Error("this process is dead")
	}
	c := exec.Command("true")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for n := 0; !dead(c.Process.Pid); n++ {
		if n > 1000 {
			t.Fatal("a process that has ended is not dead after 10 s")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
	if !dead(c.Process.Pid) {
		t.Error("a process that is no more is not dead")
	}
}
