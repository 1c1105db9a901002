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
				words := make([]uint32, 0, 4*p.Units)
				for u := range p.Units {
					var v, w [4]float32
					for k := range v {
						v[k], w[k] = x.F32(4*u+int64(k), lo, hi), y.F32(4*u+int64(k), lo, hi)
					}
					if u%64 == 63 { // as on the device: the two sides of the laws
						zero := zero(least == 1)
						v, w = [4]float32{v[0], v[1], zero, w[3]}, [4]float32{v[0], zero, w[2], v[3]}
					}
					for k := range v {
						if (v[k] < w[k]) == (least == 1) {
							w[k] = v[k]
						}
						words = append(words, math.Float32bits(w[k]))
					}
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

// TestSumLawsCatch: each law alone notices an output that breaks it; a sum that is too large,
// too small or neither of its summands.
func TestSumLawsCatch(t *testing.T) {
	x, y := [4]float32{1, -2, 3, 4}, [4]float32{5, 6, -7, 8}
	for least := range 2 {
		for _, u := range []int64{0, 63} {
			right := sums4(u, x, y, least == 1)
			got := make([]uint32, 4)
			for k := range got {
				got[k] = math.Float32bits(right[k])
			}
			var tally suites.Tally
			if sumLaws(&tally, u, x, y, got, least == 1); tally.Wrong != "" {
				t.Error(tally.Wrong)
			}
			for k := range got {
				for _, wrong := range []float32{right[k] + 1, right[k] - 1, 20, -20, zero(false), zero(true)} {
					got[k] = math.Float32bits(wrong)
					tally = suites.Tally{}
					if sumLaws(&tally, u, x, y, got, least == 1); !strings.Contains(tally.Wrong, "fails") {
						t.Errorf("min %d, unit %d: element %d of %v passes as %v", least, u, k, right, wrong)
					}
					got[k] = math.Float32bits(right[k])
				}
			}
		}
	}
}
