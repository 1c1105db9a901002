//go:build long

package engine

import (
	"testing"

	_ "github.com/amgpu/amgpu/suites/all"
	"github.com/amgpu/amgpu/vk/vktest"
)

// 3,000 operations of teams of two and three devices in a row, every way of
// communicating, none of which fails: with 95 % confidence fewer than one in a thousand
// does (3/n). What they compute is compared again and again.
func TestOperationsInARow(t *testing.T) {
	const each, between = 300, 50
	done := 0
	for _, team := range []string{"2", "3"} {
		_, adapters := vktest.Team(t, team)
		for _, w := range []struct {
			id   string
			size int64
		}{{"memory/triad", 4096}, {"comm/allreduce", 1024}, {"automata/life", 64}, {"linalg/matmul", 64}, {"relativity/nbody", 256}} {
			s, err := start(t, w.id, w.size, adapters, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			v, err := s.Verify(t.Context(), true)
			if err != nil || v.Outcome.Wrong != "" {
				t.Fatalf("%s: %s %v", w.id, v.Outcome.Wrong, err)
			}
			for n := 1; n <= each; n++ {
				if _, err := s.Sample(t.Context(), 1); err != nil {
					t.Fatalf("operation %d, %s on %s devices: %v", done, w.id, team, err)
				}
				done++
				if n%between == 0 {
					if wrong, err := s.Confirm(t.Context()); err != nil || wrong != "" {
						t.Fatalf("operation %d, %s on %s devices: %s %v", done, w.id, team, wrong, err)
					}
				}
			}
		}
	}
	if done < 3000 {
		t.Errorf("%d operations", done)
	}
	t.Logf("%d operations without a failure", done)
}
