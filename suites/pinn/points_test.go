package pinn

import (
	"fmt"
	"math"
	"testing"

	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestSharesHoldEveryClass: with aggregations that weigh devices every share has its part
// of each class of points, and all points are there once.
func TestSharesHoldEveryClass(t *testing.T) {
	for _, inputs := range []int64{2, 3} {
		for _, points := range []int64{256, 1000, 65536} {
			c, plain := cloudOf(7, inputs, points, mixed), cloudOf(7, inputs, points, byClass)
			left := map[[4]float32]int{}
			for i := range c.at {
				left[c.at[i]]++
				left[plain.at[i]]--
			}
			for p, n := range left {
				if n != 0 {
					t.Fatalf("%d inputs, %d points: %v is there %d times more than before", inputs, points, p, n)
				}
			}
			sizes := []int64{inDomain: points, onBoundary: c.boundary(), atStart: startPoints}
			for shares := int64(2); shares <= 8; shares++ {
				for d := range shares {
					lo, hi := d*c.total/shares, (d+1)*c.total/shares
					var has [3]int64
					for _, p := range c.at[lo:hi] {
						has[int(p[3])]++
					}
					for class, n := range has {
						if want := float64(sizes[class]) * float64(hi-lo) / float64(c.total); math.Abs(float64(n)-want) > 3 {
							t.Errorf("%d inputs, %d points, share %d of %d: %d points of class %d, expected %.1f", inputs, points, d, shares, n, class, want)
						}
					}
				}
			}
		}
	}
}

// TestAdaptiveKeepsEqualDevices: devices with equal shares of size S do not take each other for outliers.
func TestAdaptiveKeepsEqualDevices(t *testing.T) {
	for _, count := range []int{2, 3, 4} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			b := suitetest.Build(train{}, 256, count)
			b.Params["aggregation"] = adaptive
			l, err := lessonOf(b)
			if err != nil {
				t.Fatal(err)
			}
			var counts []int64
			for _, s := range b.Divide(l.chunks, 1) {
				counts = append(counts, s.Len())
			}
			all, kept := firstLoss(l, counts, math.Inf(1)), firstLoss(l, counts, float64(b.Params["trust"])/trustUnit)
			if kept != all {
				t.Errorf("the loss of the devices that are kept is %v, of all %v", kept, all)
			}
		})
	}
}
