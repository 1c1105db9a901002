//go:build mpi

package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

// mpirun is the launcher that belongs to the MPI of this build, with what it needs to start
// more ranks than there are cores, as root. With leave it lets the other ranks go on when
// one dies, as far as it can: MPICH's ends them at once.
func mpirun(t *testing.T, leave bool, ranks int, args ...string) (line []string, leaves bool) {
	t.Helper()
	launcher := os.Getenv("MPIRUN")
	if launcher == "" {
		launcher = "mpirun"
	}
	out, err := exec.Command(launcher, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	line = []string{launcher}
	if strings.Contains(string(out), "Open") { // Open MPI or OpenRTE
		line = append(line, "--allow-run-as-root", "--oversubscribe")
		if leaves = leave; leave {
			line = append(line, "--enable-recovery")
		}
	}
	return append(append(line, "-n", strconv.Itoa(ranks), "amgpu"), args...), leaves
}

// ranksOf starts ranks of one software device each, if args do not say otherwise.
func ranksOf(t *testing.T, dir string, leave bool, ranks int, args ...string) (p *process, leaves bool) {
	t.Helper()
	if !slices.Contains(args, "--software") {
		args = append(args, "--software", "1")
	}
	line, leaves := mpirun(t, leave, ranks, append(args, "--no-progress")...)
	return started(t, dir, line, nil), leaves
}

// started starts a command with caches and locks of its own; what it says goes to a file, if one
// is given.
func started(t *testing.T, dir string, line []string, said *os.File) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(t.Context(), line[0], line[1:]...)}
	p.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir, "XDG_RUNTIME_DIR="+dir)
	p.Stderr = &p.said
	if said != nil {
		p.Stderr = said
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// within waits for the end, no longer than a bound.
func within(t *testing.T, p *process, most time.Duration) int {
	t.Helper()
	kill := time.AfterFunc(most, func() {
		t.Errorf("not over after %v", most)
		_ = p.Process.Kill()
	})
	defer kill.Stop()
	_ = p.Wait() // the code says it
	return p.ProcessState.ExitCode()
}

// TestMPIComputesTheSame: ranks of two devices started by mpirun compute the bits of one process.
func TestMPIComputesTheSame(t *testing.T) {
	dir := t.TempDir()
	args := []string{"scale", "automata/life", "comm/allreduce", "linalg/matmul", "--mode", "strong", "--gpus", "4", "--launches", "1", "--samples", "3", "--preset", "quick", "--max-time", "50ms"}
	many, one := filepath.Join(dir, "many.json"), filepath.Join(dir, "one.json")
	p, _ := ranksOf(t, dir, false, 2, append(args, "--software", "2", "-o", many)...)
	if code := within(t, p, 3*time.Minute); code != 0 {
		t.Fatalf("exit code %d\n%s", code, p.said.String())
	}
	if code, said := ended(t, start(t, dir, append(args, "--software", "4", "-o", one)...), 0, 0); code != 0 {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	digests := func(path string) map[string]string {
		res, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, tr := range res.Trials {
			out[tr.Workload] = tr.Digest
			if !tr.Verified || tr.Via == "" {
				t.Errorf("%s: %s is not verified or went over no transport", path, tr.Workload)
			}
		}
		return out
	}
	ofJob(t, many, 2)
	a, b := digests(many), digests(one)
	if len(a) != 3 || fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("digests %v over ranks, %v in one process", a, b)
	}
}

// ofJob checks what a result says of the job that measured it.
func ofJob(t *testing.T, path string, ranks int) *result.Result {
	t.Helper()
	res, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if res.Job == nil || !strings.Contains(res.Job.Library, "MPI") {
		t.Fatalf("job %+v", res.Job)
	}
	var all []int
	for _, n := range res.Job.Nodes {
		all = append(all, n.Ranks...)
		far := slices.ContainsFunc(n.Ranks, func(r int) bool { return r > 0 })
		if n.Fingerprint == "" || n.Host.Cores == 0 || far && !(n.ClockError > 0 && n.ClockError < 0.1) {
			t.Errorf("node %+v", n)
		}
	}
	if slices.Sort(all); len(all) != ranks || all[ranks-1] != ranks-1 {
		t.Errorf("ranks %v", all)
	}
	for i, d := range res.Devices {
		if res.NodeOf(i) == nil || d.Rank == nil || *d.Rank != i*ranks/len(res.Devices) {
			t.Errorf("device %d is on node %q, rank %v", i, d.Node, d.Rank)
		}
	}
	for _, tr := range res.Trials {
		if tr.Count > 1 && !(tr.ClockError > 0) {
			t.Errorf("%s on %d devices: error of clocks %g", tr.Workload, tr.Count, tr.ClockError)
		}
	}
	return res
}

var rankLine = regexp.MustCompile(`(?m)^rank (\d+): .*, process (\d+), `)

// victim is the process of a rank, once it has been announced and something was measured.
func victim(t *testing.T, p *process, path string, rank int) int {
	t.Helper()
	for range 4000 {
		if res, err := result.Read(path); err == nil && len(res.Trials) > 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	for _, m := range rankLine.FindAllStringSubmatch(p.said.String(), -1) {
		if m[1] == strconv.Itoa(rank) {
			pid, err := strconv.Atoi(m[2])
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatalf("rank %d is not announced:\n%s", rank, p.said.String())
	return 0
}

// endless is a sweep that lasts until something ends it.
var endless = []string{"scale", "automata/life", "--mode", "strong", "--gpus", "3", "--launches", "1000", "--samples", "3", "--preset", "quick", "--max-time", "50ms", "--rank-timeout", "4s"}

// TestMPILosesARank: a rank that is killed or hangs, at any rank, ends the job soon, with
// what was measured kept; where rank 0 lives it names the other and the exit code is 7.
func TestMPILosesARank(t *testing.T) {
	for _, c := range []struct {
		name  string
		sig   syscall.Signal
		rank  int
		leave bool
	}{
		{"killed", syscall.SIGKILL, 2, true},
		{"killed, and the launcher ends the others", syscall.SIGKILL, 1, false},
		{"hanging", syscall.SIGSTOP, 1, false},
		{"rank 0 killed", syscall.SIGKILL, 0, true},
		{"rank 0 hanging", syscall.SIGSTOP, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "r.json")
			p, leaves := ranksOf(t, dir, c.leave, 3, append(endless, "-o", path)...)
			pid := victim(t, p, path, c.rank)
			if err := syscall.Kill(pid, c.sig); err != nil {
				t.Fatal(err)
			}
			code := within(t, p, time.Minute)
			said := p.said.String()
			t.Logf("exit code %d", code)
			_ = syscall.Kill(pid, syscall.SIGKILL) // where the launcher left it
			if code == 0 && !leaves {              // what launchers make of it when told to leave the others alone is theirs
				t.Errorf("exit code 0\n%s", said)
			}
			if c.rank > 0 && (leaves || c.sig == syscall.SIGSTOP) {
				if want := fmt.Sprintf("rank %d on ", c.rank); code != codeLost && !leaves || !strings.Contains(said, want) {
					t.Errorf("exit code %d, want %d and %q:\n%s", code, codeLost, want, said)
				}
			}
			res, err := result.Read(path)
			if err != nil || len(res.Trials) == 0 {
				t.Errorf("what was measured is lost: %v", err)
			}
		})
	}
}
