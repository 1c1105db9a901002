package pinn_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	_ "github.com/amgpu/amgpu/suites/pinn"
	"github.com/amgpu/amgpu/suites/suitetest"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestDivisions trains deeper networks in more stages than size S has, and slabs that
// overlap: right everywhere, and the bits of one device where that is promised.
func TestDivisions(t *testing.T) {
	_, adapters := vktest.Team(t, "4")
	w, err := suites.Find("pinn/train")
	if err != nil {
		t.Fatal(err)
	}
	digests := map[string]string{}
	for _, c := range []struct {
		split   string
		count   int
		layers  int64
		overlap int64
	}{
		{"data", 1, 4, 0}, {"pipeline", 4, 4, 0}, {"hybrid", 4, 4, 0}, {"spatial", 3, 2, 50}, {"spatial", 2, 1, 1000},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			b := suitetest.Build(w, 40, c.count)
			b.Split, b.Limits = c.split, engine.PoolLimits(adapters)
			for name, v := range map[string]int64{"layers": c.layers, "overlap": c.overlap, "width": 6, "steps": 2, "batches": 3} {
				b.Params[name] = v
			}
			s, err := engine.Launch(context.Background(), engine.Spec{Workload: w, Adapters: adapters[:c.count], Transport: "auto", Build: b})
			if err != nil {
				t.Fatal(err)
			}
			v, err := s.Verify(context.Background(), true)
			if err = errors.Join(err, s.Close()); err != nil || v.Outcome.Wrong != "" {
				t.Fatalf("%v %s", err, v.Outcome.Wrong)
			}
			if v.CountDependent != (c.overlap > 0) {
				t.Error("whether results depend on the count")
			}
			if c.overlap == 0 {
				if digests[v.Digest] = c.split; len(digests) != 1 {
					t.Errorf("digests differ: %v", digests)
				}
			}
		})
	}
}

// TestLargeRate: steps ten times as large keep the curve of 64 bits, for which the
// corrections of Adam's moments must be right from the first step on.
func TestLargeRate(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	w, err := suites.Find("pinn/train")
	if err != nil {
		t.Fatal(err)
	}
	b := suitetest.Build(w, 256, 1)
	b.Limits = engine.PoolLimits(adapters)
	b.Seed, b.Params["rate"], b.Params["steps"] = 1, 10000, 20
	s, err := engine.Launch(context.Background(), engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: b})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Verify(context.Background(), true)
	if err = errors.Join(err, s.Close()); err != nil || v.Outcome.Wrong != "" {
		t.Fatalf("%v %s", err, v.Outcome.Wrong)
	}
}
