package cluster

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestSharedHandOversInARow: two ranks of two devices each hand over many times in a row, while
// the copy engine of one device after the other is late. One word for all that a rank has written
// to another one is enough, as it is said when the last of its devices is through.
func TestSharedHandOversInARow(t *testing.T) {
	_, adapters := vktest.Team(t, "4")
	limits := engine.PoolLimits(adapters)
	w, err := suites.Find("comm/allreduce")
	if err != nil {
		t.Fatal(err)
	}
	b := request(w, 4, limits)
	b.Algorithm = program.Ring
	digest := func(s session) string {
		t.Helper()
		v, err := s.Verify(t.Context(), true)
		if err != nil || v.Outcome.Wrong != "" {
			t.Errorf("verify: %s %v", v.Outcome.Wrong, err)
		}
		if _, err := s.Sample(t.Context(), 4); err != nil {
			t.Error(err)
		}
		if wrong, err := s.Confirm(t.Context()); err != nil || wrong != "" {
			t.Errorf("confirm: %s %v", wrong, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		return v.Digest
	}
	one, err := engine.Launch(t.Context(), engine.Spec{Workload: w, Build: b, Adapters: adapters, Transport: "host"})
	if err != nil {
		t.Fatal(err)
	}
	want := digest(one)
	vktest.FakeCUDA(t, adapters[0])
	rank, pool, home, _ := jobOf(t, adapters, []int{2, 2}, time.Minute)
	for late := range 4 {
		t.Setenv("FAKECUDA_LATE", fmt.Sprintf("%d:3", late))
		if got := digest(launchOver(t, rank, w, b, pool, home, peer.CUDA)); got != want {
			t.Errorf("stream %d late: digest %s over ranks, %s in one process", late, got, want)
		}
	}
}

// TestSharedMemoryNeverArrives: a copy to another rank that never ends is over after the time-out,
// which names the device, and the next launch works.
func TestSharedMemoryNeverArrives(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	w, err := suites.Find("comm/p2p")
	if err != nil {
		t.Fatal(err)
	}
	vktest.FakeCUDA(t, adapters[0])
	rank, pool, home, _ := jobOf(t, adapters, []int{1, 1}, time.Minute)
	spec := engine.Spec{Workload: w, Build: request(w, 2, engine.PoolLimits(adapters)), Adapters: pool, Transport: peer.CUDA, SyncTimeout: 5 * time.Second}
	s, err := rank.Launch(t.Context(), spec, home)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Verify(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FAKECUDA_MS", "1e12")
	if _, err := s.Sample(t.Context(), 1); !errors.Is(err, vk.ErrTimeout) || !strings.Contains(err.Error(), "barrier time-out of 5s") {
		t.Errorf("a copy that never ends: %v", err)
	}
	t.Setenv("FAKECUDA_MS", "")
	_ = s.Close() // what it left
	digestOf(t, launchOver(t, rank, w, spec.Build, pool, home, peer.CUDA))
}
