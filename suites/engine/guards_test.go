package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestSubmissionsAreSplit: work above the length of one submission is cut into
// several, with the same bits.
func TestSubmissionsAreSplit(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	for _, id := range []string{"ga/product", "memory/triad"} {
		const size, parts = 1 << 16, 8
		digests := map[string]bool{}
		for _, split := range []bool{false, true} {
			s, err := start(t, id, size, adapters, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			if split {
				s.watched = []bool{true, true}
				s.submitLimit = s.cost() / float64(len(adapters)) / parts
			}
			v, err := s.Verify(context.Background(), false)
			if err != nil || v.Outcome.Wrong != "" {
				t.Fatalf("%s, split %v: %s %v", id, split, v.Outcome.Wrong, err)
			}
			digests[v.Digest] = true
			for d, list := range s.main.commands {
				if n := len(list); split && n < parts || !split && n >= parts {
					t.Errorf("%s, split %v: %d submissions on device %d", id, split, n, d)
				}
			}
		}
		if len(digests) != 1 {
			t.Errorf("%s: other bits when split: %v", id, digests)
		}
	}
}

// TestConfirmSeesDamage: outputs that change after the check, on one device or on
// all, are found after the last sample.
func TestConfirmSeesDamage(t *testing.T) {
	ctx := context.Background()
	_, adapters := vktest.Team(t, "2")
	for id, want := range map[string]string{"memory/triad": "changed while measuring", "comm/allreduce": "differs between device 0"} {
		s, err := start(t, id, 4096, adapters, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := s.Verify(ctx, true); err != nil || v.Outcome.Wrong != "" {
			t.Fatalf("%s: %s %v", id, v.Outcome.Wrong, err)
		}
		sample, err := s.Sample(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		if skew := sample.Times.Skew; skew <= 0 || skew > sample.Seconds {
			t.Errorf("%s: start skew of %g s in a sample of %g s", id, skew, sample.Seconds)
		}
		if wrong, err := s.Confirm(ctx); err != nil || wrong != "" {
			t.Errorf("%s, undamaged: %q %v", id, wrong, err)
		}
		if err := (fault{wrong: true}).corrupt(ctx, s); err != nil {
			t.Fatal(err)
		}
		if wrong, err := s.Confirm(ctx); err != nil || !strings.Contains(wrong, want) {
			t.Errorf("%s, damaged: %q %v, want %q", id, wrong, err, want)
		}
	}
}

// TestCopiesMustAgree: devices that hold different copies of an output are a
// wrong result even where the workload's own check is content.
func TestCopiesMustAgree(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	f := fixture{
		prog: &program.Program{
			Units: 2, Shares: []program.Share{{Lo: 0, Hi: 1}, {Lo: 1, Hi: 2}}, Work: 1,
			Arrays: []program.Array{{Name: "own", Elem: program.U32, Layout: program.Local, Units: 64, Stride: 1, Output: true, Source: program.Source{Kind: program.PhiloxRaw}}},
		},
		check: func(*suites.Check) string { return "" },
	}
	s, err := Launch(context.Background(), Spec{Workload: f, Adapters: adapters, Transport: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if v, err := s.Verify(context.Background(), true); err != nil || !strings.Contains(v.Outcome.Wrong, "own differs between device 0") {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestUnwrittenOutputsAreSeen: what no kernel writes is no plausible value, also
// when an earlier launch left a right one in the same memory.
func TestUnwrittenOutputsAreSeen(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	outcome(t, fixture{
		prog: &program.Program{
			Units: 64, Shares: []program.Share{{Lo: 0, Hi: 64}}, Work: 1,
			Arrays: []program.Array{{Name: "out", Elem: program.U32, Layout: program.Split, Units: 64, Stride: 1, Output: true}},
		},
		check: expect("out", 0, 64, func(int64) uint32 { return poison }),
	}, adapters, Spec{})
}
