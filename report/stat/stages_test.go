package stat

import "testing"

// TestStages: three stages of 120, 368 and 120 operations allow 608/368 of the rate of one
// device, two of 120 and 488 allow 608/488.
func TestStages(t *testing.T) {
	stages := func(b *bench, shares ...int64) {
		devices := []int{0, 1, 2}[:len(shares)]
		for block := range 7 {
			x := b.add("strong", block, 0.7, 1000, devices...)
			x.Staged, x.Shares = true, shares
		}
	}
	one := func(b *bench) {
		for block := range 7 {
			for d, rate := range b.rates {
				b.add("solo", block, 1/rate, 1000, d)
			}
			b.add("strong", block, 1, 1000, 0)
		}
	}
	b := newBench("default", 1, 1, 1)
	one(b)
	stages(b, 120, 368, 120)
	stages(b, 120, 488)
	for count, want := range map[int]float64{2: 608. / 488 / 2, 3: 608. / 368 / 3} {
		r := b.row(t, "strong", count)
		if r.Bound == nil || !r.Staged {
			t.Fatalf("%d devices: no bound of the stages: %+v", count, r)
		}
		near(t, "bound", *r.Bound, want, 1e-12)
	}
	if r := b.row(t, "strong", 1); r.Bound != nil || r.Staged {
		t.Errorf("one device is no pipeline: %+v", r)
	}

	// A device of three times the rate has the large stage: 120 operations of 608 on a slow one
	// pass 608/120 of its rate, 368 on the fast one 3 * 608/368, which is less.
	b = newBench("default", 1, 3, 1)
	b.res.Devices[1].Name = "fast GPU"
	one(b)
	stages(b, 120, 368, 120)
	near(t, "unequal", *b.row(t, "strong", 3).Bound, 3*608./368/5, .01)

	// Nothing is said where there is no rate of one device, or no loads.
	b = newBench("default", 1, 1, 1)
	stages(b, 120, 488)
	stages(b, 120, 368, 120)
	if r := b.row(t, "strong", 3); r.Bound != nil {
		t.Errorf("relative to %d devices, bound %g", r.Base, *r.Bound)
	}
	b = newBench("default", 1, 1, 1)
	one(b)
	stages(b, 0, 0, 0)
	if r := b.row(t, "strong", 3); r.Bound != nil {
		t.Errorf("without loads, bound %g", *r.Bound)
	}
}
