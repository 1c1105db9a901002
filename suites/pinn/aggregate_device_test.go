package pinn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/suitetest"
	"github.com/amgpu/amgpu/vk/vktest"
)

// firstLoss is the loss that devices with so many chunks begin with, by what docs/pinn.md says
// of aggregations: their means over their own points, averaged over those whose gradient is
// not longer than trust times the lower median.
func firstLoss(l lesson, counts []int64, trust float64) float64 {
	theta := make([]float64, l.stride())
	for i := range theta {
		theta[i] = float64(l.start(l.seed, int64(i)))
	}
	var losses, lengths []float64
	u := int64(0)
	for _, n := range counts {
		mean := make([]float64, l.stride())
		for end := u + n; u < end; u++ {
			for i, v := range l.chunkGradient(theta, u, nil) {
				mean[i] += v * float64(l.chunks) / float64(n)
			}
		}
		length := 0.0
		for _, v := range mean[:l.net.total()] {
			length = math.Hypot(length, v)
		}
		c := mean[l.net.losses():]
		losses = append(losses, c[0]+10*c[1]+10*c[2]+10*c[3])
		lengths = append(lengths, length)
	}
	sum, kept := 0.0, 0.0
	median := slices.Sorted(slices.Values(lengths))[(len(lengths)-1)/2]
	for d, v := range losses {
		if lengths[d] <= trust*median {
			sum += v
			kept++
		}
	}
	return sum / kept
}

// TestAggregationsOnDevices trains with every aggregation on two and three devices, points
// dealt and in slabs. The whole curve is compared with float64 by the check; what aggregation
// 0 gives has the same bits at both counts, the others depend on the count and say so.
func TestAggregationsOnDevices(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	curves := map[string][]float64{}
	for _, c := range []struct {
		split              string
		aggregation, trust int64
		count              int
	}{
		{"data", weighted, 30, 2}, {"data", weighted, 30, 3}, {"data", average, 30, 2}, {"data", average, 30, 3},
		{"data", adaptive, 10, 2}, {"data", adaptive, 10, 3}, {spatial, adaptive, 10, 3},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			b := suitetest.Build(train{}, 41, c.count)
			b.Split, b.Limits = c.split, engine.PoolLimits(adapters)
			for name, v := range map[string]int64{"width": 6, "steps": 4, "aggregation": c.aggregation, "trust": c.trust} {
				b.Params[name] = v
			}
			s, err := engine.Launch(context.Background(), engine.Spec{Workload: train{}, Adapters: adapters[:c.count], Transport: "auto", Build: b})
			if err != nil {
				t.Fatal(err)
			}
			v, err := s.Verify(context.Background(), true)
			if err = errors.Join(err, s.Close()); err != nil || v.Outcome.Wrong != "" {
				t.Fatalf("%v %s", err, v.Outcome.Wrong)
			}
			if v.CountDependent != (c.aggregation != weighted) {
				t.Errorf("results depend on the count: %v", v.CountDependent)
			}
			total := v.Outcome.Training.Losses[0].Values
			if curve := fmt.Sprint(c.split, c.aggregation, c.trust); c.aggregation == weighted {
				if curves[curve] == nil {
					curves[curve] = total
				}
				if !slices.Equal(total, curves[curve]) {
					t.Errorf("curve %v, of two devices %v", total, curves[curve])
				}
				return
			}
			l, err := lessonOf(b)
			if err != nil {
				t.Fatal(err)
			}
			p, err := (train{}).Build(b)
			if err != nil {
				t.Fatal(err)
			}
			var counts []int64
			for _, s := range p.Shares {
				counts = append(counts, s.Len())
			}
			trust := math.Inf(1)
			if c.aggregation == adaptive {
				trust = float64(c.trust) / 10
			}
			if want := firstLoss(l, counts, trust); math.Abs(total[0]-want) > 1e-5*want {
				t.Errorf("the curve begins with %v, expected %v", total[0], want)
			}
			all := firstLoss(l, counts, math.Inf(1))
			if c.trust == 10 && c.aggregation == adaptive && math.Abs(total[0]-all) < 1e-3*all {
				t.Errorf("no device is left out: the curve begins with %v", total[0])
			}
		})
	}
}
