package tropical

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestAdd(t *testing.T) {
	for _, size := range []int64{1, 3, 255, 257, 1021, 1 << 12} {
		for least := range int64(2) {
			b := suitetest.Build(add{}, size, 3)
			b.Params["min"] = least
			for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
				p, err := (add{}).Build(b)
				if err == nil {
					err = suitetest.Invariants(p, 3)
				}
				if err != nil {
					t.Fatalf("size %d: %v", size, err)
				}
				x := suites.Stream{Seed: b.Seed, Workload: addNumber, Array: idA}
				y := suites.Stream{Seed: b.Seed, Workload: addNumber, Array: idB}
				words := make([]uint32, 4*p.Units)
				for i := range words {
					v, w := x.F32(int64(i), lo, hi), y.F32(int64(i), lo, hi)
					if (v < w) == (least == 1) {
						w = v
					}
					words[i] = math.Float32bits(w)
				}
				c := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: map[string][]uint32{"y": words}}}
				if got, err := (add{}).Verify(c); err != nil || got.Wrong != "" || got.Checked != 4*p.Units {
					t.Errorf("size %d, min %d: %+v, %v", size, least, got, err)
				}
				words[len(words)-1] ^= 1
				if got, err := (add{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "y[") {
					t.Errorf("size %d, min %d: a flipped bit passes: %+v, %v", size, least, got, err)
				}
			}
		}
	}
	if _, err := (add{}).Build(suitetest.Build(add{}, 0, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
		t.Errorf("size 0: %v", err)
	}
}
