//go:build mpi

package cmd

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestMPISharesMemory: ranks that mpirun starts on one machine write to each other's memory by
// file descriptors, with CUDA's driver played by one for tests. They compute the bits of one
// process; the result says by what.
func TestMPISharesMemory(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	vktest.FakeCUDA(t, adapters[0])
	dir := t.TempDir()
	args := []string{"scale", "automata/life", "comm/allreduce", "comm/alltoall", "comm/p2p", "--mode", "strong", "--launches", "1", "--samples", "3", "--preset", "quick", "--max-time", "50ms", "--gpus", "2"}
	digests := func(path, via string) map[string]string {
		res, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, tr := range res.Trials {
			out[tr.Workload] = tr.Digest
			if !tr.Verified || tr.Via != via {
				t.Errorf("%s: %s went by %s, want %s, verified %v: %v", path, tr.Workload, tr.Via, via, tr.Verified, tr.Warnings)
			}
		}
		return out
	}
	one := filepath.Join(dir, "one.json")
	if code, said := ended(t, start(t, dir, append(args, "--software", "2", "--transport", "host", "-o", one)...), 0, 0); code != 0 {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	want := digests(one, "host")
	for _, c := range []struct{ transport, via string }{{"auto", "cuda"}, {"cuda", "cuda"}, {"host", "mpi"}} {
		path := filepath.Join(dir, c.transport+".json")
		p, _ := ranksOf(t, dir, false, 2, append(args, "--transport", c.transport, "-o", path)...)
		if code := within(t, p, 3*time.Minute); code != 0 {
			t.Fatalf("--transport %s: exit code %d\n%s", c.transport, code, p.said.String())
		}
		if got := digests(path, c.via); len(got) != 4 || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("--transport %s: digests %v over ranks, %v in one process", c.transport, got, want)
		}
	}
	t.Setenv("FAKECUDA_LOSE", "1")
	path := filepath.Join(dir, "lost.json")
	p, _ := ranksOf(t, dir, false, 2, append(args, "-o", path)...)
	if code := within(t, p, 3*time.Minute); code != 0 {
		t.Fatalf("an engine that loses data: exit code %d\n%s", code, p.said.String())
	}
	digests(path, "mpi")
	res, err := result.Read(path)
	if err != nil || !strings.Contains(fmt.Sprint(res.Trials[0].Warnings), "wrong data") {
		t.Errorf("an engine that loses data: %v %v", res.Trials[0].Warnings, err)
	}
}

// TestMPISharingRankDies: a rank that dies or hangs while ranks share memory ends the job like
// any other.
func TestMPISharingRankDies(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	vktest.FakeCUDA(t, adapters[0])
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		dir := t.TempDir()
		path := filepath.Join(dir, "r.json")
		p, leaves := ranksOf(t, dir, true, 3, append(endless, "--transport", "cuda", "-o", path)...)
		pid := victim(t, p, path, 1)
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
		code := within(t, p, time.Minute)
		_ = syscall.Kill(pid, syscall.SIGKILL)
		if said := p.said.String(); (leaves || sig == syscall.SIGSTOP) && !strings.Contains(said, "rank 1 on ") {
			t.Errorf("%v: exit code %d:\n%s", sig, code, said)
		}
		res, err := result.Read(path)
		if err != nil || len(res.Trials) == 0 || res.Trials[0].Via != "cuda" {
			t.Errorf("%v: what was measured is lost, or was not shared: %v", sig, err)
		}
	}
}
