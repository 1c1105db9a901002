//go:build long

package cmd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// The whole fault matrix: every call site that a sweep on 2 and 3 devices reaches fails
// once in its middle, in each of the ways in which calls fail; then the sites that only
// other transports and cold caches reach.
func TestFaultMatrixWhole(t *testing.T) {
	codes := []string{"VK_ERROR_DEVICE_LOST", "VK_ERROR_OUT_OF_DEVICE_MEMORY", "VK_ERROR_OUT_OF_HOST_MEMORY"}
	seen := map[string]bool{}
	cases := 0
	for _, sweep := range []struct {
		devices int
		flags   []string
	}{{2, nil}, {3, nil}, {2, []string{"--transport", "staging"}}, {2, []string{"--transport", "host", "--cache", "cold"}}} {
		good := inject(t, sweep.devices, "", sweep.flags...)
		if good.code != 0 || len(good.log.alive) > 0 {
			t.Fatalf("%d devices %v without a failure: code %d, alive %v\n%s", sweep.devices, sweep.flags, good.code, good.log.alive, good.stderr)
		}
		for _, s := range good.log.sites {
			id := s.call + s.site
			if sweep.flags != nil && seen[id] {
				continue
			}
			seen[id] = true
			for _, code := range codes {
				survives(t, good, sweep.devices, s, code, sweep.flags...)
				cases++
			}
		}
	}
	t.Logf("%d call sites, %d failures", len(seen), cases)
}

// Every call of CUDA's driver fails once.
func TestFaultMatrixCUDAWhole(t *testing.T) { cudaMatrix(t) }

// A device that fails for ever, by each call that a launch needs, early and late.
func TestFaultForEverWhole(t *testing.T) {
	for devices := range 2 {
		for call, most := range map[string]int{"vkCreateDevice": 3, "vkAllocateMemory": 15, "vkCreateComputePipelines": 15, "vkEndCommandBuffer": 100,
			"vkQueueSubmit2": 100, "vkSignalSemaphore": 100, "vkWaitSemaphores": 100, "vkCreateQueryPool": 3} {
			for _, nth := range []int{1, most / 2, most} {
				dies(t, 2+devices, call, max(nth, 1))
			}
		}
	}
}

// Work that a device never begins or never ends: the sweep ends all the same, with 7.
func TestFaultHangs(t *testing.T) {
	for devices := range 2 {
		for _, call := range []string{"vkSignalSemaphore", "vkQueueSubmit2"} {
			x := inject(t, 2+devices, fmt.Sprintf(",call=%s,device=1,nth=40,times=1000000,result=VK_SUCCESS", call), "--sync-timeout", "3s", "--retries", "0")
			if x.code != 7 || x.res == nil || !strings.Contains(x.stderr, "time-out of 3s") || !strings.Contains(x.stderr, "device 1") {
				t.Errorf("%s: exit code %d\n%s", call, x.code, x.stderr)
				continue
			}
			for _, tr := range x.res.Trials {
				if tr.Status == result.WrongResult || tr.Status == result.OK && !tr.Verified {
					t.Errorf("%s: %s (%s)", call, tr.Status, tr.Reason)
				}
			}
		}
	}
}

// A device lost in the middle of each kind of step, in the first submission of a launch
// and in a late one.
func TestFaultInEveryStep(t *testing.T) {
	for _, workload := range []string{"linalg/matmul", "relativity/nbody", "linalg/reduction", "hash/merkle", "comm/alltoall", "comm/p2p", "comm/reducescatter", "comm/broadcast"} {
		good := inject(t, 3, "", workload)
		if good.code != 0 {
			t.Fatalf("%s: exit code %d\n%s", workload, good.code, good.stderr)
		}
		for _, s := range good.log.sites {
			if s.call != "vkQueueSubmit2" {
				continue
			}
			survives(t, good, 3, s, "VK_ERROR_DEVICE_LOST", workload)
			survives(t, good, 3, callSite{s.call, s.site, 1}, "VK_ERROR_DEVICE_LOST", workload)
		}
	}
}

// Chunks that are handed out: batches are recorded, bound and submitted while devices run,
// and each of these calls fails in the middle of a sweep.
func TestFaultHandedOut(t *testing.T) {
	for _, workload := range []string{"ga/product", "linalg/reduction"} {
		flags := []string{workload, "--strategy", "dynamic", "--residency", "resident"}
		good := inject(t, 2, "", flags...)
		if good.code != 0 || len(good.log.alive) > 0 {
			t.Fatalf("%s: exit code %d, alive %v\n%s", workload, good.code, good.log.alive, good.stderr)
		}
		for _, s := range good.log.sites {
			switch s.call {
			case "vkBeginCommandBuffer", "vkEndCommandBuffer", "vkAllocateDescriptorSets", "vkQueueSubmit2", "vkSignalSemaphore", "vkWaitSemaphores", "vkGetQueryPoolResults":
				for _, code := range []string{"VK_ERROR_DEVICE_LOST", "VK_ERROR_OUT_OF_HOST_MEMORY"} {
					survives(t, good, 2, s, code, flags...)
				}
			}
		}
	}
}
