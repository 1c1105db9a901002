package cluster

import "testing"

// TestAlign: of round trips with delays of their own on either way, the shortest one says
// how far the other clock is ahead, and its half bounds the error.
func TestAlign(t *testing.T) {
	const ahead = 5_000_000
	var began, there, over []int64
	for i, d := range []struct{ out, back int64 }{{9000, 2000}, {700, 300}, {4000, 4000}} {
		at := int64(1e9) * int64(i)
		began, there, over = append(began, at), append(there, at+d.out+ahead), append(over, at+d.out+d.back)
	}
	a, err := align(began, there, over, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.error != 500 || a.ahead != ahead+200 || a.at != 1e9+500 {
		t.Errorf("%+v, want 200 beside %d within 500", a, ahead)
	}
	// A second later the other clock has gained 20 us: more than both errors.
	later, err := align([]int64{3e9}, []int64{3e9 + 500 + ahead + 40_000}, []int64{3e9 + 1000}, &a)
	if err != nil {
		t.Fatal(err)
	}
	if want := ahead + 40_000 + 20_000; later.aheadAt(4e9+500) < int64(want)-300 || later.aheadAt(4e9+500) > int64(want)+300 {
		t.Errorf("a second on %d ahead, want about %d", later.aheadAt(4e9+500), want)
	}
	if e := later.errorAt(4e9 + 500); e != 500+50_000 {
		t.Errorf("error %d ns a second later, want that of the reading and 50 us of drift", e)
	}
	// What both readings leave open is no drift.
	if same, _ := align([]int64{3e9}, []int64{3e9 + 500 + ahead + 600}, []int64{3e9 + 1000}, &a); same.drift != 0 {
		t.Errorf("drift %g from noise", same.drift)
	}
	if _, err := align([]int64{5}, []int64{0}, []int64{1}, nil); err == nil {
		t.Error("a round trip that ends before it begins was used")
	}
}
