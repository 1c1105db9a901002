//go:build mpi

package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMPINoGPU: ranks without a GPU end with the exit code and the hint of one process without.
func TestMPINoGPU(t *testing.T) {
	line, _ := mpirun(t, false, 2, "scale", "memory/triad", "--no-progress", "--device", "0")
	p := started(t, t.TempDir(), line, nil)
	if code, said := within(t, p, time.Minute), p.said.String(); code != codeUsage || !strings.Contains(said, "rank 0 on "+nodeName()+" has no device: device 0 ") {
		t.Errorf("exit code %d\n%s", code, said)
	}
	line, _ = mpirun(t, false, 2, "scale", "memory/triad", "--no-progress")
	p = started(t, t.TempDir(), line, nil)
	if code, said := within(t, p, time.Minute), p.said.String(); code != codeNoGPU || !strings.Contains(said, "has no device: no usable GPU") || !strings.Contains(said, "hint: ") {
		t.Errorf("exit code %d, want %d\n%s", code, codeNoGPU, said)
	}
}

// TestMPIRankNeverComes: where a rank does not get so far as to join the job, the others end.
func TestMPIRankNeverComes(t *testing.T) {
	dir := t.TempDir()
	late := filepath.Join(dir, "late.sh")
	if err := os.WriteFile(late, []byte("#!/bin/sh\n[ \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" = 1 ] && exec sleep 600\nexec \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	line, _ := mpirun(t, false, 2, "scale", "memory/triad", "--software", "1", "--no-progress", "--rank-timeout", "1s")
	for i, arg := range line {
		if arg == "amgpu" {
			line = append(line[:i:i], append([]string{late}, line[i:]...)...)
			break
		}
	}
	p := started(t, dir, line, nil)
	if code, said := within(t, p, time.Minute), p.said.String(); code != codeLost || !strings.Contains(said, "rank 0 of 2: MPI_Init_thread did not come back within 4s") {
		t.Errorf("exit code %d, want %d\n%s", code, codeLost, said)
	}
}

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
