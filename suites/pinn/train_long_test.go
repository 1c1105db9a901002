//go:build long

package pinn

import (
	"testing"

	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestConvergence trains the network of size S in 64 bits: 3,000 steps of Adam whose rate
// of 0.01 halves every 1,000 bring the relative L2 error to 0.6 %.
func TestConvergence(t *testing.T) {
	b := suitetest.Build(train{}, 200, 1)
	b.Params["rate"], b.Params["halving"], b.Params["steps"] = 10000, 1000, 3000
	l, err := lessonOf(b)
	if err != nil {
		t.Fatal(err)
	}
	theta, curve := l.follow(l.steps, nil)
	total := l.training(curve).Losses[0].Values
	if e := l.solutionError(theta); e > 1e-2 || total[len(total)-1] > total[0]/100 {
		t.Errorf("relative L2 error %.3g, loss from %.3g", e, total[0])
	}
}
