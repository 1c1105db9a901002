package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
	"github.com/amgpu/amgpu/vk/vktest"
)

// crossing are workloads that between them use every kind of communication.
var crossing = []string{
	"automata/life", "linalg/matmul", "relativity/nbody", "linalg/reduction",
	"comm/allreduce", "comm/reducescatter", "comm/allgather", "comm/alltoall", "comm/broadcast", "comm/p2p",
}

// launchOver launches a workload over ranks.
func launchOver(t *testing.T, rank *Rank, w suites.Workload, b suites.Build, pool []*vk.Adapter, home []int, transport string) *Session {
	t.Helper()
	s, err := rank.Launch(context.Background(), engine.Spec{Workload: w, Build: b, Adapters: pool, Transport: transport}, home)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func warnings(s *Session) string {
	var out []string
	for _, w := range s.Facts().Warnings {
		out = append(out, w.Code+": "+w.Text)
	}
	return strings.Join(out, "\n")
}

// TestRanksShareMemory: ranks of one machine write to each other's memory by the copy engines
// of their devices and compute the bits of one process, with one device in each rank and with
// two, where copy engines carry everything and where small messages may go by the net. No
// descriptor is left.
func TestRanksShareMemory(t *testing.T) {
	_, adapters := vktest.Team(t, "4")
	limits := engine.PoolLimits(adapters)
	want := map[string]string{}
	for _, id := range crossing {
		w, err := suites.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		one, err := engine.Launch(context.Background(), engine.Spec{Workload: w, Build: request(w, 4, limits), Adapters: adapters, Transport: "host"})
		if err != nil {
			t.Fatal(err)
		}
		want[id] = digestOf(t, one)
	}
	vktest.FakeCUDA(t, adapters[0])
	for _, c := range []struct {
		per       []int
		transport string
		ids       []string
	}{
		{[]int{1, 1, 1, 1}, peer.CUDA, crossing},
		{[]int{1, 1, 1, 1}, "auto", []string{"comm/allreduce"}},
		{[]int{2, 2}, "auto", []string{"automata/life", "comm/alltoall", "linalg/reduction"}},
	} {
		t.Run(fmt.Sprint(c.per, c.transport), func(t *testing.T) {
			rank, pool, home, _ := jobOf(t, adapters, c.per, time.Minute)
			before := descriptors(t)
			for _, id := range c.ids {
				w, err := suites.Find(id)
				if err != nil {
					t.Fatal(err)
				}
				s := launchOver(t, rank, w, request(w, 4, limits), pool, home, c.transport)
				if via := s.Facts().Transport; via != peer.CUDA {
					t.Errorf("%s by %s:\n%s", id, via, warnings(s))
				}
				if got := digestOf(t, s); got != want[id] {
					t.Errorf("%s: digest %s over ranks, %s in one process", id, got, want[id])
				}
			}
			if after := descriptors(t); after != before {
				t.Errorf("%d descriptors are open, %d before", after, before)
			}
		})
	}
}

// descriptors counts the open ones of this process.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestRanksPassOverCUDA: whatever keeps copy engines from carrying data between ranks is a
// note with its reason, and the net carries it; where CUDA is asked for, it is the error.
func TestRanksPassOverCUDA(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	limits := engine.PoolLimits(adapters)
	w, err := suites.Find("comm/alltoall")
	if err != nil {
		t.Fatal(err)
	}
	vktest.FakeCUDA(t, adapters[0])
	rank, pool, home, _ := jobOf(t, adapters, []int{1, 1}, time.Minute)
	b := request(w, 2, limits)
	for _, c := range []struct{ env, value, want string }{
		{"FAKECUDA_LOSE", "1", "wrong data: "},
		{"AMGPU_FAULT", "transport:cuda", "wrong data: "},
		{"FAKECUDA_FAIL", "cuMemImportFromShareableHandle", "cannot map memory of rank "},
		{"FAKECUDA_FAIL", "cuMemExportToShareableHandle", "cuMemExportToShareableHandle: CUDA_ERROR_UNKNOWN"},
		{"FAKECUDA_FAIL", "cuMemcpyDtoDAsync", "a peer copy by CUDA from device "},
		{"FAKECUDA_FAIL", "cuStreamCreate", "cuStreamCreate: CUDA_ERROR_UNKNOWN"},
		{"FAKECUDA_FAIL", "cuDeviceCanAccessPeer", "cuDeviceCanAccessPeer: CUDA_ERROR_UNKNOWN"},
		{"AMGPU_CUDA_LIBRARY", "/nonexistent/libcuda.so.1", "CUDA is not there"},
	} {
		t.Run(c.env+" "+c.value, func(t *testing.T) {
			before := descriptors(t)
			t.Setenv(c.env, c.value)
			s := launchOver(t, rank, w, b, pool, home, "auto")
			said := warnings(s)
			if via := s.Facts().Transport; via != "loop" || !strings.Contains(said, "transport-excluded: transport cuda between ranks") || !strings.Contains(said, c.want) {
				t.Errorf("by %s:\n%s", via, said)
			}
			digestOf(t, s)
			_, err := rank.Launch(context.Background(), engine.Spec{Workload: w, Build: b, Adapters: pool, Transport: peer.CUDA}, home)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("when CUDA is asked for: %v", err)
			}
			if wrong := errors.Is(err, peer.ErrWrongData); wrong != strings.HasPrefix(c.want, "wrong data") {
				t.Errorf("wrong data %v: %v", wrong, err)
			}
			if after := descriptors(t); after != before {
				t.Errorf("%d descriptors are open, %d before", after, before)
			}
		})
	}
	t.Run("a driver that hides the other's device", func(t *testing.T) {
		t.Setenv("FAKECUDA_ONLY", "7") // own devices are open already
		s := launchOver(t, rank, w, b, pool, home, "auto")
		if via := s.Facts().Transport; via != peer.CUDA {
			t.Errorf("by %s:\n%s", via, warnings(s))
		}
		digestOf(t, s)
	})
}

// TestSharedMemoryEngineFails: a copy engine that fails in a sample ends the launch on all
// ranks with its error, and the next launch works.
func TestSharedMemoryEngineFails(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	w, err := suites.Find("comm/alltoall")
	if err != nil {
		t.Fatal(err)
	}
	vktest.FakeCUDA(t, adapters[0])
	rank, pool, home, hub := jobOf(t, adapters, []int{1, 1}, 5*time.Second)
	b := request(w, 2, engine.PoolLimits(adapters))
	s := launchOver(t, rank, w, b, pool, home, peer.CUDA)
	if _, err := s.Verify(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("FAKECUDA_LOG", log)
	t.Setenv("FAKECUDA_FAIL", "cuEventQuery")
	if _, err := s.Sample(context.Background(), 1); err == nil || !strings.Contains(err.Error(), "cuEventQuery: CUDA_ERROR_UNKNOWN") {
		t.Errorf("an engine that fails: %v", err)
	}
	t.Setenv("FAKECUDA_FAIL", "")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	// All that was imported has been unmapped.
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), "cuMemUnmap 0\n") {
		t.Errorf("nothing was unmapped: %v", err)
	}
	s = launchOver(t, rank, w, b, pool, home, peer.CUDA)
	digestOf(t, s)
	// A rank that vanishes while another waits for its word.
	s = launchOver(t, rank, w, b, pool, home, peer.CUDA)
	if _, err := s.Verify(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	hub.Silence(1)
	done := make(chan error, 1)
	go func() {
		_, err := s.Sample(context.Background(), 1)
		done <- err
	}()
	select {
	case err = <-done:
	case <-time.After(time.Minute):
		t.Fatal("a launch with a lost rank does not end")
	}
	if !errors.Is(err, ErrRankLost) {
		t.Errorf("error %v", err)
	}
	_ = s.Close()
}
