//go:build mpi

package cmd

import (
	"strings"
	"testing"
	"time"
)

// TestMPIRefuses: what a job cannot do ends it with exit code 2 and a reason, before anything is
// measured.
func TestMPIRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"hands out work within one process, and this is an MPI job":                                          {"scale", "ga/product", "--strategy", "dynamic"},
		"--checkpoint: not in a job of several ranks":                                                        {"run", "pinn/train", "--team", "--checkpoint", "c.ckpt"},
		"count 3 is larger than the pool of 1; the nodes of this job are: " + nodeName() + " with 2 devices": {"scale", "ga/product", "--nodes", "1,3"},
	} {
		p, _ := ranksOf(t, t.TempDir(), false, 2, args...)
		if code, said := within(t, p, time.Minute), p.said.String(); code != codeUsage || !strings.Contains(said, want) {
			t.Errorf("amgpu %s: exit code %d, want %d and %q\n%s", strings.Join(args, " "), code, codeUsage, want, said)
		}
	}
}
