//go:build long

package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestDynamicRules is TestDynamicWorkloads for the product of all workloads that can be
// handed out and all rules, on two and three devices.
func TestDynamicRules(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	divided := 0
	for _, w := range suites.All() {
		t.Run(w.Info().ID, func(t *testing.T) {
			spec := func(n int) engine.Spec {
				return engine.Spec{Workload: w, Adapters: adapters[:n], Transport: "auto", Build: build(w, w.Info().Sizes.S, "S", n, engine.PoolLimits(adapters))}
			}
			if len(lacking(spec(1))) > 0 {
				return
			}
			s := spec(2)
			s.Dynamic = handOut(t, "steal", 2)
			l, err := engine.Launch(t.Context(), s)
			if errors.Is(err, engine.ErrUnsupported) && strings.Contains(err.Error(), "cannot be divided while it runs") {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			closing(t, l)
			divided++
			want := digest(t, spec(1))
			for _, rule := range partition.AssignNames() {
				for n := 2; n <= 3; n++ {
					s := spec(n)
					s.Dynamic = handOut(t, rule, n)
					if got := measure(t, s, 1, 2).Digest; got != want {
						t.Errorf("%s on %d devices: digest %s, equal shares %s", rule, n, got, want)
					}
				}
			}
		})
	}
	t.Logf("%d workloads by %d rules", divided, len(partition.AssignNames()))
	if divided < len(handedOut) {
		t.Errorf("%d workloads were handed out", divided)
	}
}
