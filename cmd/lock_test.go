package cmd

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

func TestLocks(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	var said bytes.Buffer
	s := streams{Err: &said}
	first, err := lockDevices(t.Context(), s, []result.Device{gpuA, gpuB})
	if err != nil {
		t.Fatal(err)
	}
	// Another card is free; one of these is not.
	other, err := lockDevices(t.Context(), s, []result.Device{igpu})
	if err != nil {
		t.Fatal(err)
	}
	other()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := lockDevices(ctx, s, []result.Device{igpu, gpuB}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v while another process holds the lock", err)
	}
	if n := strings.Count(said.String(), "waiting"); n != 1 {
		t.Errorf("said %d times that it waits: %s", n, said.String())
	}
	// A waiting process goes on when the lock is free again.
	got := make(chan error, 1)
	go func() {
		unlock, err := lockDevices(t.Context(), streams{Err: &bytes.Buffer{}}, []result.Device{gpuA})
		if err == nil {
			unlock()
		}
		got <- err
	}()
	time.Sleep(20 * time.Millisecond)
	first()
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func TestLockNames(t *testing.T) {
	noPCI := gpuA
	noPCI.PCI = ""
	second := cpu
	second.Index = 1
	names := map[string]bool{}
	for _, d := range []result.Device{gpuA, gpuB, noPCI, cpu, second} {
		n := lockName(d)
		if names[n] || strings.ContainsAny(n, "/:") {
			t.Errorf("lock name %q repeated or not a file name", n)
		}
		names[n] = true
	}
}
