package peer_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/all"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
	"github.com/amgpu/amgpu/vk/vktest"
)

// collective verifies and repeats one workload over copy engines.
func collective(t *testing.T, adapters []*vk.Adapter, w suites.Workload, size int64, algorithm string, chunks int64, via string) {
	t.Helper()
	b := suitetest.Build(w, size, len(adapters))
	if algorithm != "" {
		b.Algorithm = algorithm
	}
	if chunks > 0 {
		b.Params["chunks"] = chunks
	}
	b.Limits = engine.PoolLimits(adapters)
	name := fmt.Sprintf("%s of %d on %d, %s in %d", w.Info().ID, size, len(adapters), algorithm, chunks)
	s, err := engine.Launch(t.Context(), engine.Spec{Workload: w, Build: b, Adapters: adapters, Transport: "auto"})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}()
	if f := s.Facts(); f.Transport != via {
		t.Errorf("%s: transport %s, want %s", name, f.Transport, via)
	}
	v, err := s.Verify(context.Background(), true)
	if err != nil || v.Outcome.Wrong != "" {
		t.Fatalf("%s: %s %v", name, v.Outcome.Wrong, err)
	}
	if _, err := s.Sample(t.Context(), 3); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if wrong, err := s.Confirm(t.Context()); err != nil || wrong != "" {
		t.Errorf("%s: %s %v", name, wrong, err)
	}
}

// The engine's collectives over copy engines: copies that begin with their phase, small
// messages through host memory beside them, and teams in which only some links have
// an engine.
func TestCollectivesByEngine(t *testing.T) {
	peer.UseFakeCUDA(t)
	_, adapters := vktest.Team(t, "3")
	reduce, err := suites.Find("comm/allreduce")
	if err != nil {
		t.Fatal(err)
	}
	for count, via := range map[int]string{2: peer.CUDA, 3: peer.Mixed} {
		for _, size := range []int64{3, 100_003} {
			for chunks := range int64(5) {
				collective(t, adapters[:count], reduce, size, program.TwoShot, chunks, via)
			}
		}
		for _, algorithm := range reduce.Info().Algorithms {
			collective(t, adapters[:count], reduce, 5003, algorithm, 0, via)
		}
	}
	for _, id := range []string{"comm/p2p", "comm/allgather", "comm/reducescatter", "comm/broadcast", "comm/alltoall"} {
		w, err := suites.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		for count, via := range map[int]string{2: peer.CUDA, 3: peer.Mixed} {
			collective(t, adapters[:count], w, 100_003, "", 0, via)
		}
	}
}
