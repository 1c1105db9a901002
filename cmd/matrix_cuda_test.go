package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk/vktest"
)

// cudaSweep is a sweep whose devices are those of a CUDA driver made for tests, in which a
// call of that driver fails; it returns what was called, with the results.
func cudaSweep(t *testing.T, fail string, nth int, flags ...string) (x injected, calls []string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "cuda")
	t.Setenv("FAKECUDA_LOG", log)
	t.Setenv("FAKECUDA_FAIL", fail)
	t.Setenv("FAKECUDA_NTH", fmt.Sprint(nth))
	x = inject(t, 2, "", flags...)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return x, strings.Split(strings.TrimSpace(string(text)), "\n")
}

// cudaMatrix lets calls of CUDA's driver fail once, in the middle of a sweep on two
// devices: no row is lost or wrong, no object is left, and the call is named, unless a
// smaller block of memory did as well.
func cudaMatrix(t *testing.T, only ...string) {
	_, adapters := vktest.Team(t, "2")
	vktest.FakeCUDA(t, adapters[0])
	t.Setenv("AMGPU_NO_LINK_CACHE", "true")
	for _, transport := range []string{"auto", "cuda"} {
		good, calls := cudaSweep(t, "", 1, "--transport", transport)
		if good.code != 0 || len(good.log.alive) > 0 || !strings.Contains(vias(good.res), "cuda") {
			t.Fatalf("without a failure: code %d, alive %v, by %s\n%s", good.code, good.log.alive, vias(good.res), good.stderr)
		}
		made := map[string]int{}
		for _, line := range calls {
			name, _, _ := strings.Cut(line, " ")
			made[name]++
		}
		if len(only) == 0 {
			for name := range made {
				only = append(only, name)
			}
		}
		for _, name := range only {
			if made[name] == 0 {
				t.Errorf("%s is never called", name)
				continue
			}
			cudaSurvives(t, good, transport, name, (made[name]+1)/2)
		}
	}
}

func cudaSurvives(t *testing.T, good injected, transport, name string, nth int) {
	t.Helper()
	var x injected
	var hit bool
	// How many copies there are depends on how busy the machine is: as in survives.
	for ; ; nth /= 2 {
		var calls []string
		x, calls = cudaSweep(t, name, nth, "--transport", transport)
		if hit = strings.Contains(strings.Join(calls, "\n"), name+" 999"); hit || nth < 2 {
			break
		}
	}
	what := fmt.Sprintf("%s fails the %d. time, --transport %s", name, nth, transport)
	if !hit || x.code != 0 || x.res == nil || len(x.log.alive) > 0 {
		t.Errorf("%s (%v): exit code %d, left %v\n%s", what, hit, x.code, x.log.alive, x.stderr)
		return
	}
	said := x.stderr
	for _, tr := range x.res.Trials {
		said += tr.Reason
		if absent := name == "cuInit" && transport == "cuda" && tr.Status == result.Unsupported; absent {
			return // as without a driver
		}
		if tr.Status != result.OK || !tr.Verified || len(tr.Samples) == 0 {
			t.Errorf("%s: %s, %d devices: %s (%s)", what, tr.Workload, tr.Count, tr.Status, tr.Reason)
		}
		said += fmt.Sprint(tr.Warnings)
	}
	if block := strings.HasPrefix(name, "cuMem") && !strings.HasPrefix(name, "cuMemcpy"); !block && !strings.Contains(said, name) {
		t.Errorf("%s: nobody says so\n%s", what, said)
	}
	if got, want := x.digests(), good.digests(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: digests %v, want %v", what, got, want)
	}
}

// vias are the transports that rows used.
func vias(res *result.Result) string {
	var out []string
	if res != nil {
		for _, tr := range res.Trials {
			out = append(out, tr.Via)
		}
	}
	return strings.Join(out, " ")
}

// A part of the matrix of CUDA's calls; the long tests hold all of it.
func TestFaultMatrixCUDA(t *testing.T) {
	cudaMatrix(t, "cuMemcpyDtoDAsync")
}
