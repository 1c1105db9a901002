//go:build long

package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/all"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestTimelinesOfWorkloads: the spans of every workload cover what is shown of its sample,
// by transports with and without copies of the host, with data on the devices and on the host.
func TestTimelinesOfWorkloads(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	limits := PoolLimits(adapters)
	for _, w := range suites.All() {
		for _, x := range []struct{ transport, residency string }{{"auto", Resident}, {"staging", EndToEnd}} {
			t.Run(w.Info().ID+" "+x.transport, func(t *testing.T) {
				info := w.Info()
				b := suites.Build{Size: info.Sizes.S, Base: info.Sizes.S, Label: "S", Count: 2, Seed: 42, Limits: limits, Params: map[string]int64{}}
				for _, p := range info.Params {
					b.Params[p.Name] = p.Default
				}
				if len(info.Splits) > 0 {
					b.Split = info.Splits[0]
				}
				if len(info.Algorithms) > 0 {
					b.Algorithm = info.Algorithms[0]
				}
				b.Divide = func(units, granule int64) []program.Share {
					shares := divide((units+granule-1)/granule, 2)
					for i := range shares {
						shares[i].Lo, shares[i].Hi = shares[i].Lo*granule, min(shares[i].Hi*granule, units)
					}
					return shares
				}
				spec := Spec{Workload: w, Build: b, Adapters: adapters, Transport: x.transport, Residency: x.residency}
				s, err := Launch(context.Background(), spec)
				if errors.Is(err, ErrUnsupported) || errors.Is(err, vk.ErrUnsupported) {
					return // TestWorkloadsAtS looks at what it says
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				spans, _ := timelineOf(t, spec, 2)
				last := 0.0
				for _, sp := range spans {
					last = max(last, sp.End)
				}
				covers(t, spans, indexes(adapters), last)
			})
		}
	}
}
