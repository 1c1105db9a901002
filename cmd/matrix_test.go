package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

// injected is what became of a scaling sweep in which calls failed.
type injected struct {
	code   int
	stderr string
	res    *result.Result // nil: none was written
	log    faultLog
}

// faultLog is what the fault layer saw: calls by function and call site.
type faultLog struct {
	sites []callSite
	hits  int
	alive []string // kinds of objects that were left
}

type callSite struct {
	call  string
	site  string
	count int
}

// inject runs a small sweep on software devices: halos, sums over the team and data on
// the host, or the workloads that come before the flags.
func inject(t *testing.T, devices int, fault string, flags ...string) injected {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "calls")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	first := slices.IndexFunc(flags, func(f string) bool { return strings.HasPrefix(f, "--") })
	if first < 0 {
		first = len(flags)
	}
	workloads, flags := flags[:first], flags[first:]
	if len(workloads) == 0 {
		workloads = []string{"automata/life", "comm/allreduce"}
	}
	args := []string{"--software", fmt.Sprint(devices), "--gpus", fmt.Sprintf("1,%d", devices),
		"--mode", "strong", "--size", "256", "--residency", "both", "--preset", "quick", "--launches", "1", "--samples", "3", "--max-time", "20ms",
		"--retries", "2", "--retry-wait", "1ms", "--no-progress", "-o", filepath.Join(dir, "r.json")}
	c := exec.CommandContext(ctx, "amgpu", slices.Concat([]string{"scale"}, workloads, args, flags)...)
	c.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir, "XDG_RUNTIME_DIR="+dir, "AMGPU_FAULT=vulkan:log="+log+fault)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGQUIT) } // with stacks, that show where it hangs
	c.WaitDelay = 10 * time.Second
	var stderr bytes.Buffer
	c.Stderr = &stderr
	err := c.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s: hangs\n%s", fault, stderr.String())
	}
	out := injected{stderr: stderr.String()}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		out.code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.stderr, "goroutine ") || out.code < 0 {
		t.Fatalf("%s: crashed with %d\n%s", fault, out.code, out.stderr)
	}
	if res, err := result.Read(filepath.Join(dir, "r.json")); err == nil {
		out.res = res
	} else if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: %v", fault, err)
	}
	out.log = readLog(t, log)
	return out
}

func readLog(t *testing.T, path string) faultLog {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var l faultLog
	for line := range strings.Lines(string(raw)) {
		var s callSite
		if n, _ := fmt.Sscanf(line, "call %s %s %d", &s.call, &s.site, &s.count); n == 3 {
			l.sites = append(l.sites, s)
		}
		_, _ = fmt.Sscanf(line, "hits %d", &l.hits)
		if kind, ok := strings.CutPrefix(line, "alive "); ok {
			l.alive = append(l.alive, strings.TrimSpace(kind))
		}
	}
	return l
}

// digests are the outputs of every row.
func (x injected) digests() map[string]string {
	out := map[string]string{}
	for _, t := range x.res.Trials {
		out[fmt.Sprint(t.Key, t.Count)] = t.Digest
	}
	return out
}

// survives checks that one failed call changed nothing but the time it took: every row
// is there, right and as in the sweep without a failure.
func survives(t *testing.T, good injected, devices int, s callSite, code string, flags ...string) {
	t.Helper()
	var x injected
	// How many samples there are depends on how busy the machine is: a call that was not
	// reached this time is tried earlier.
	for nth := (s.count + 1) / 2; nth > 0; nth /= 2 {
		if x = inject(t, devices, fmt.Sprintf(",call=%s,site=%s,nth=%d,result=%s", s.call, s.site, nth, code), flags...); x.log.hits > 0 {
			break
		}
	}
	name := fmt.Sprintf("%s at %s, %s, %d devices", s.call, s.site, code, devices)
	if x.log.hits != 1 {
		t.Errorf("%s: the call failed %d times", name, x.log.hits)
	}
	if len(x.log.alive) > 0 {
		t.Errorf("%s: left alive: %v\n%s", name, x.log.alive, x.stderr)
	}
	if strings.HasPrefix(s.call, "vkEnumerate") && x.code != 0 { // before the sweep, when devices are listed
		if x.res != nil || !strings.Contains(x.stderr, code) {
			t.Errorf("%s: exit code %d, result %v\n%s", name, x.code, x.res, x.stderr)
		}
		return
	}
	if x.code != 0 || x.res == nil {
		t.Errorf("%s: exit code %d\n%s", name, x.code, x.stderr)
		return
	}
	if got, want := x.digests(), good.digests(); len(got) != len(want) {
		t.Errorf("%s: %d rows, want %d", name, len(got), len(want))
	} else {
		for row, digest := range want {
			if got[row] != digest {
				t.Errorf("%s: %s gave %s, without a failure %s", name, row, got[row], digest)
			}
		}
	}
	for _, tr := range x.res.Trials {
		if tr.Status != result.OK || !tr.Verified || len(tr.Samples) == 0 {
			t.Errorf("%s: %s, %d devices: %s (%s)", name, tr.Workload, tr.Count, tr.Status, tr.Reason)
		}
	}
}

// A part of the fault matrix: one site of some calls, failing once in the middle of a
// sweep. The long tests hold all of it.
func TestFaultMatrix(t *testing.T) {
	good := inject(t, 2, "")
	if good.code != 0 || len(good.log.alive) > 0 || len(good.log.sites) < 30 {
		t.Fatalf("without a failure: code %d, alive %v, %d call sites\n%s", good.code, good.log.alive, len(good.log.sites), good.stderr)
	}
	for _, x := range []struct{ call, code string }{
		{"vkCreateDevice", "VK_ERROR_OUT_OF_HOST_MEMORY"}, {"vkAllocateMemory", "VK_ERROR_OUT_OF_DEVICE_MEMORY"},
		{"vkEndCommandBuffer", "VK_ERROR_DEVICE_LOST"}, {"vkQueueSubmit2", "VK_ERROR_DEVICE_LOST"}, {"vkWaitSemaphores", "VK_ERROR_OUT_OF_HOST_MEMORY"},
	} {
		i := slices.IndexFunc(good.log.sites, func(s callSite) bool { return s.call == x.call })
		if i < 0 {
			t.Errorf("%s is never called", x.call)
			continue
		}
		survives(t, good, 2, good.log.sites[i], x.code)
	}
}

// A device that fails for ever from the middle of a sweep on: earlier rows are kept,
// later ones are right or say what they miss, and the exit code is 7.
func TestFaultForEver(t *testing.T) {
	dies(t, 2, "vkQueueSubmit2", 30)
}

// dies lets device 1 fail for ever from its nth call on.
func dies(t *testing.T, devices int, call string, nth int) {
	t.Helper()
	x := inject(t, devices, fmt.Sprintf(",call=%s,device=1,nth=%d,times=1000000,result=VK_ERROR_DEVICE_LOST", call, nth))
	if x.code != 7 || x.res == nil || len(x.log.alive) > 0 {
		t.Errorf("%s: exit code %d, left %v\n%s", call, x.code, x.log.alive, x.stderr)
		return
	}
	if len(x.res.Trials) != 8 {
		t.Errorf("%s: %d trials, want 8", call, len(x.res.Trials))
	}
	for _, tr := range x.res.Trials {
		fine := tr.Status == result.OK && len(tr.Samples) > 0 || tr.Status == result.Degraded && len(tr.Samples) == 0 && tr.Count == devices
		if !fine || !tr.Verified {
			t.Errorf("%s: %s, %d devices: %s (%s)", call, tr.Workload, tr.Count, tr.Status, tr.Reason)
		}
	}
	if len(x.res.Health) != 1 || !x.res.Health[0].Out || !strings.Contains(x.res.Health[0].Last, "device 1") {
		t.Errorf("%s: health %+v", call, x.res.Health)
	}
}
