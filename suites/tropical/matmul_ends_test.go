package tropical

import (
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestLostEnds: a kernel that loses the first or the last k spoils one output in 257, which a
// sample of a grid may miss, and fails at every seed all the same.
func TestLostEnds(t *testing.T) {
	const edge = 257
	for seed := range uint64(6) {
		b := suitetest.Build(matmul{}, edge, 1)
		b.Seed, b.Params["min"] = seed, int64(seed%2)
		p, err := matmul{}.Build(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int64{0, edge - 1} {
			words := outputsWithout(k, edge, edge, seed, isMin(b))
			out, err := matmul{}.Verify(&suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: map[string][]uint32{"C": words}}})
			if err != nil || out.Wrong == "" {
				t.Errorf("seed %d: outputs without k = %d pass: %v", seed, k, err)
			}
		}
	}
}
