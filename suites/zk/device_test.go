package zk_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/suitetest"
	_ "github.com/amgpu/amgpu/suites/zk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestMSMOnDevices: sizes around those of work-groups and chunks, buckets of one point and of
// hundreds, doublings and opposites, windows of every kind; the same result on any team.
func TestMSMOnDevices(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	w, err := suites.Find("zk/msm")
	if err != nil {
		t.Fatal(err)
	}
	type division struct {
		split string
		count int
	}
	divisions := []division{{"points", 1}, {"points", 3}, {"windows", 1}, {"windows", 3}}
	for k, c := range []struct {
		n      int64
		params map[string]int64
	}{
		{1, nil}, {31, map[string]int64{"window": 1}}, {33, map[string]int64{"points": 1}}, {65, map[string]int64{"scalars": 1, "points": 1}},
		{257, map[string]int64{"window": 5, "points": 1}}, {1024, map[string]int64{"scalars": 2}}, {1031, map[string]int64{"scalars": 1, "window": 3}},
		{3, map[string]int64{"window": 13}}, // parts of buckets are added up in two steps
	} {
		digests := map[string]bool{}
		for _, d := range []division{divisions[k%4], divisions[(k+k/4+1)%4]} {
			t.Run(fmt.Sprint(c.n, c.params, d), func(t *testing.T) {
				b := suitetest.Build(w, c.n, d.count)
				b.Split, b.Limits = d.split, engine.PoolLimits(adapters)
				maps.Copy(b.Params, c.params)
				s, err := engine.Launch(context.Background(), engine.Spec{Workload: w, Adapters: adapters[:d.count], Transport: "auto", Build: b})
				if err != nil {
					t.Fatal(err)
				}
				v, err := s.Verify(context.Background(), true)
				if err = errors.Join(err, s.Close()); err != nil || v.Outcome.Wrong != "" {
					t.Fatalf("%v %s", err, v.Outcome.Wrong)
				}
				digests[v.Digest] = true
			})
		}
		if len(digests) != 1 {
			t.Errorf("%d points, %v: digests %v", c.n, c.params, digests)
		}
	}
}

// TestTransformsOnDevices: BabyBear in one pass, in two and in three, and Goldilocks on
// 64-bit integers, bit for bit as on pairs of words.
func TestTransformsOnDevices(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	w, err := suites.Find("zk/ntt")
	if err != nil {
		t.Fatal(err)
	}
	digest := func(t *testing.T, n int64, split string, params, tuning map[string]int64) string {
		t.Helper()
		b := suitetest.Build(w, n, 2)
		b.Split, b.Limits, b.Tuning = split, engine.PoolLimits(adapters), tuning
		maps.Copy(b.Params, params)
		s, err := engine.Launch(context.Background(), engine.Spec{Workload: w, Adapters: adapters, Transport: "auto", Build: b})
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Verify(context.Background(), n < 1<<16)
		if err = errors.Join(err, s.Close()); err != nil || v.Outcome.Wrong != "" {
			t.Fatalf("%v %s", err, v.Outcome.Wrong)
		}
		return v.Digest
	}
	for k, n := range []int64{300, 1 << 11, 500009} {
		t.Run(fmt.Sprint("BabyBear ", n), func(t *testing.T) {
			digest(t, n, "batch", map[string]int64{"field": 1, "inverse": int64(k % 2), "batch": 2}, nil)
		})
	}
	for k, n := range []int64{37, 5000} {
		split := []string{"four-step", "batch"}[k]
		t.Run(fmt.Sprint("Goldilocks ", n, split), func(t *testing.T) {
			params := map[string]int64{"inverse": int64(k % 2)}
			if a, b := digest(t, n, split, params, map[string]int64{"wide": 0}), digest(t, n, split, params, map[string]int64{"wide": 1}); a != b {
				t.Errorf("in 64 bits: digest %s, not %s", b, a)
			}
		})
	}
}
