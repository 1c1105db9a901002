package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/checkpoint"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestCheckpoint interrupts an iteration of every workload that names its state, after the
// first and the last save, and continues it on fewer and on more devices: the digest is that
// of one run, and the devices afterwards compute it anew.
func TestCheckpoint(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	for _, w := range suites.All() {
		info := w.Info()
		if len(info.State) == 0 {
			continue
		}
		for _, split := range slices.Compact([]string{info.Splits[0], info.Splits[len(info.Splits)-1]}) {
			t.Run(info.ID+"/"+split, func(t *testing.T) {
				run := func(n int, c *engine.Checkpoint) (engine.Verification, error) {
					b := build(w, info.Sizes.S, "S", n, engine.PoolLimits(adapters))
					b.Split = split
					if info.ID == "pinn/wave-fdtd" {
						b.Params["steps"], b.Params["halo"] = 50, 8 // and steps behind the loop
					}
					ctx := context.Background()
					s, err := engine.Launch(ctx, engine.Spec{Workload: w, Adapters: adapters[:n], Transport: "auto", Build: b, Checkpoint: c})
					if err != nil {
						t.Fatal(err)
					}
					v, err := s.Verify(ctx, c == nil) // the others must have its bits
					if v.Outcome.Wrong != "" {
						t.Error(v.Outcome.Wrong)
					}
					if err == nil && c != nil && c.From != nil {
						if wrong, err := s.Confirm(ctx); err != nil || wrong != "" {
							t.Errorf("computed anew: %s %v", wrong, err)
						}
					}
					return v, errors.Join(err, s.Close())
				}
				var saved []checkpoint.State
				keep := &engine.Checkpoint{Every: 1, Save: func(st checkpoint.State) error {
					saved = append(saved, st)
					return nil
				}}
				whole, err := run(2, nil)
				if err != nil {
					t.Fatal(err)
				}
				kept, err := run(2, keep)
				if err != nil || kept.Digest != whole.Digest || len(saved) < 2 {
					t.Fatalf("saved %d times: %v, digest %s, want %s", len(saved), err, kept.Digest, whole.Digest)
				}
				for i, st := range []checkpoint.State{saved[0], saved[len(saved)-1]} {
					again := 0
					on := 1 + 2*i
					v, err := run(on, &engine.Checkpoint{Every: 2, From: &st, Save: func(checkpoint.State) error {
						again++
						return nil
					}})
					if err != nil || v.Digest != whole.Digest {
						t.Errorf("continued after %d on %d devices: %v, digest %s, want %s", st.Done, on, err, v.Digest, whole.Digest)
					}
					if left := int64(len(saved)) - st.Done; int64(again) != (left+st.Done%2)/2 {
						t.Errorf("continued after %d: saved %d times", st.Done, again)
					}
				}
				full := errors.New("disk full")
				if _, err := run(1, &engine.Checkpoint{Every: 1, Save: func(checkpoint.State) error { return full }}); !errors.Is(err, full) {
					t.Errorf("a save that failed: %v", err)
				}
			})
		}
	}
}

// TestStateFits: what was saved of another program is refused.
func TestStateFits(t *testing.T) {
	w, err := suites.Find("pinn/train")
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Build(build(w, 256, "S", 1, suites.Limits{}))
	if err != nil {
		t.Fatal(err)
	}
	good := func() checkpoint.State {
		st := checkpoint.State{Done: 1}
		for _, name := range w.Info().State {
			a, ok := p.Array(name)
			if !ok {
				t.Fatalf("no array %q", name)
			}
			st.Arrays = append(st.Arrays, checkpoint.Array{Name: name, Words: make([]uint32, a.Units*a.Stride)})
		}
		return st
	}
	if err := engine.FitsState(w.Info(), p, good()); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*checkpoint.State){
		"after 0 repetitions of 4":                                      func(st *checkpoint.State) { st.Done = 0 },
		fmt.Sprintf("after %d repetitions of 4", engine.Repetitions(p)): func(st *checkpoint.State) { st.Done = engine.Repetitions(p) },
		"holds 4 arrays":      func(st *checkpoint.State) { st.Arrays = st.Arrays[1:] },
		"array 0 is theta of": func(st *checkpoint.State) { st.Arrays[0].Words = st.Arrays[0].Words[1:] },
	} {
		st := good()
		change(&st)
		if err := engine.FitsState(w.Info(), p, st); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
