package pac_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	_ "github.com/amgpu/amgpu/suites/pac"
	"github.com/amgpu/amgpu/suites/suitetest"
	"github.com/amgpu/amgpu/vk/vktest"
)

// Signals of every length of FFT: with a first pass of radix 2, of radix 4 and without, and
// lengths that are no power of two; with several permutations in a chunk.
func TestLengths(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	w, err := suites.Find("pac/mi")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ samples, perms int64 }{{64, 3}, {97, 0}, {256, 300}, {1999, 3}, {4095, 3}} {
		t.Run(fmt.Sprint(c.samples), func(t *testing.T) {
			b := suitetest.Build(w, 1, 1)
			b.Limits = engine.PoolLimits(adapters)
			for name, v := range map[string]int64{"channels": 1, "time": c.samples, "n_perm": c.perms, "n_pha": 2, "n_amp": 3} {
				b.Params[name] = v
			}
			s, err := engine.Launch(context.Background(), engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: b})
			if err != nil {
				t.Fatal(err)
			}
			v, err := s.Verify(context.Background(), true)
			if err != nil || v.Outcome.Wrong != "" {
				t.Errorf("%v %s", err, v.Outcome.Wrong)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
