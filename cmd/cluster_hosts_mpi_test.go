//go:build mpi

package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

// across is a short sweep of the teams that counts asks for.
func across(path string, counts ...string) []string {
	return append([]string{"scale", "automata/life", "comm/allreduce", "--software", "1", "--mode", "strong",
		"--preset", "quick", "--launches", "1", "--samples", "3", "--max-time", "50ms", "--no-progress", "-o", path}, counts...)
}

// sound checks the result of such a sweep, which has two trials of each count.
func sound(t *testing.T, path string, counts ...int) *result.Result {
	t.Helper()
	res, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range res.Trials {
		if !tr.Verified || !slices.Contains(counts, tr.Count) || tr.Via != "mpi" {
			t.Errorf("%s on %d devices via %q: %s %s", tr.Workload, tr.Count, tr.Via, tr.Status, tr.Reason)
		}
	}
	if len(res.Trials) != 2*len(counts) {
		t.Errorf("%d trials", len(res.Trials))
	}
	return res
}

// namespaces makes two network namespaces that are joined by a wire, and what starts a
// command in them as on another host; false: the system refuses them.
func namespaces(t *testing.T, dir string) (first, agent string, ok bool) {
	t.Helper()
	id := os.Getpid() % 100000
	name := func(i int) string { return fmt.Sprintf("amgpu%d-%d", id, i) }
	run := func(args ...string) error {
		out, err := exec.Command("ip", args...).CombinedOutput()
		if err != nil {
			t.Logf("ip %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return err
	}
	for i := 1; i <= 2; i++ {
		if run("netns", "add", name(i)) != nil {
			return "", "", false
		}
		t.Cleanup(func() { _ = run("netns", "del", name(i)) })
	}
	wire := func(i int) string { return fmt.Sprintf("am%d-%d", id, i) }
	if run("link", "add", wire(1), "netns", name(1), "type", "veth", "peer", "name", wire(2), "netns", name(2)) != nil {
		return "", "", false
	}
	for i := 1; i <= 2; i++ {
		if run("-n", name(i), "addr", "add", fmt.Sprintf("10.77.0.%d/24", i), "dev", wire(i)) != nil ||
			run("-n", name(i), "link", "set", wire(i), "up") != nil || run("-n", name(i), "link", "set", "lo", "up") != nil {
			return "", "", false
		}
	}
	agent = filepath.Join(dir, "agent.sh")
	script := fmt.Sprintf("#!/bin/sh\nhost=$1; shift\nn=${host##*.}\nexec ip netns exec amgpu%d-$n unshare --uts sh -c \"hostname node$n; $*\"\n", id)
	if err := os.WriteFile(agent, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return name(1), agent, true
}

// TestMPITwoHosts: eight ranks on two hosts, which are network namespaces of this machine with
// host names of their own; where these are refused, or the launcher is not Open MPI's, eight
// ranks of this host.
func TestMPITwoHosts(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	asked, counts := []string{"--gpus", "8"}, []int{8}
	line, open := mpirun(t, true, 8, across(path, asked...)...)
	if open {
		line = []string{line[0], "--allow-run-as-root", "--oversubscribe", "--mca", "pml", "ob1", "--mca", "btl", "tcp,self"}
		hosts := "localhost:8"
		if first, agent, ok := namespaces(t, dir); ok {
			line = append([]string{"ip", "netns", "exec", first, "unshare", "--uts", "sh", "-c", `hostname node1; exec "$@"`, "sh"}, line...)
			line = append(line, "--mca", "plm_rsh_agent", agent, "-x", "PATH", "-x", "XDG_CACHE_HOME", "-x", "XDG_RUNTIME_DIR")
			hosts = "10.77.0.1:4,10.77.0.2:4"
			asked, counts = []string{"--nodes", "1,2"}, []int{4, 8}
		}
		self, err := exec.LookPath("amgpu")
		if err != nil {
			t.Fatal(err)
		}
		line = append(append(line, "-H", hosts, "-n", "8", self), across(path, asked...)...)
		t.Logf("hosts %s", hosts)
	}
	p := &process{Cmd: exec.CommandContext(t.Context(), line[0], line[1:]...)}
	p.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir, "XDG_RUNTIME_DIR="+dir)
	p.Stderr = &p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if code := within(t, p, 3*time.Minute); code != 0 {
		t.Fatalf("exit code %d\n%s", code, p.said.String())
	}
	sound(t, path, counts...)
	res := ofJob(t, path, 8)
	if strings.Contains(strings.Join(line, " "), "10.77.0.2") {
		twoNodes(t, res)
	}
}

// twoNodes checks a result of two nodes with four ranks each: where devices are, and the links
// between them, of which each device has one.
func twoNodes(t *testing.T, res *result.Result) {
	t.Helper()
	if len(res.Job.Nodes) != 2 || res.Devices[0].Node != "node1" || res.Devices[7].Node != "node2" {
		t.Errorf("nodes %+v", res.Job.Nodes)
	}
	if fmt.Sprint(res.Plan.Nodes, res.Plan.Counts, res.Trials[0].Devices[0]%4) != "[1 2] [4 8] 0" {
		t.Errorf("plan of nodes %v, counts %v", res.Plan.Nodes, res.Plan.Counts)
	}
	ends := map[int]int{}
	for _, l := range res.Links {
		ends[l.From]++
		ends[l.To]++
		if l.Kind != linkNet || l.Transport != "mpi" || !l.Verified || l.Bandwidth == nil || l.Latency == nil || res.Devices[l.From].Node == res.Devices[l.To].Node {
			t.Errorf("link %+v", l)
		}
	}
	for d := range 8 {
		if ends[d] != 2 {
			t.Errorf("device %d is an end of %d links, want one each way", d, ends[d])
		}
	}
}
