//go:build mpi

package cmd

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMPIDevices: devices lists those of all ranks once, with where they are, and refuses to
// watch a job.
func TestMPIDevices(t *testing.T) {
	run := func(args ...string) (string, error) {
		line, _ := mpirun(t, false, 2, append([]string{"devices", "--software", "2"}, args...)...)
		c := exec.CommandContext(t.Context(), line[0], line[1:]...)
		c.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir())
		out, err := c.Output()
		return string(out), err
	}
	out, err := run("--json")
	if err != nil {
		t.Fatal(err)
	}
	var doc devicesJSON
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(doc.Devices) != 4 || doc.Job == nil || !strings.Contains(doc.Job.Library, "MPI") || len(doc.Job.Nodes) != 1 || len(doc.Problems) != 0 {
		t.Fatalf("%d devices, job %+v, problems %v", len(doc.Devices), doc.Job, doc.Problems)
	}
	for i, d := range doc.Devices {
		if d.Index != i || d.Rank == nil || *d.Rank != i/2 || d.Node != nodeName() || d.Status != "usable" || len(d.Heaps) == 0 || d.Limits.Invocations == 0 {
			t.Errorf("device %d: %+v", i, d)
		}
	}
	if out, err = run("--topology"); err != nil || !strings.Contains(out, nodeName()+", rank 1") {
		t.Errorf("%v\n%s", err, out)
	}
	var failed *exec.ExitError
	if _, err = run("--watch"); !errors.As(err, &failed) || failed.ExitCode() != codeUsage {
		t.Errorf("--watch: %v", err)
	}
}
