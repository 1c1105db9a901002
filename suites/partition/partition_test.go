package partition

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lengths(shares []Share) []int64 {
	out := make([]int64, len(shares))
	for i, s := range shares {
		out[i] = s.Len()
	}
	return out
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		name string
		req  Request
		want []int64
	}{
		{"remainder to the first", Request{Units: 10, Count: 3}, []int64{4, 3, 3}},
		{"one device", Request{Units: 10, Count: 1}, []int64{10}},
		{"more devices than units", Request{Units: 2, Count: 4}, []int64{1, 1, 0, 0}},
		{"no units", Request{Units: 0, Count: 2}, []int64{0, 0}},
		{"granule", Request{Units: 64, Count: 3, Granule: 16}, []int64{32, 16, 16}},
		{"short last granule", Request{Units: 10, Count: 3, Granule: 4}, []int64{4, 4, 2}},
		{"granule larger than the work", Request{Units: 10, Count: 3, Granule: 100}, []int64{10, 0, 0}},
		{"short granule in the only share", Request{Units: 5, Count: 2, Granule: 8}, []int64{5, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Equal(c.req)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, lengths(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestInvalidRequests(t *testing.T) {
	for _, r := range []Request{{Units: -1, Count: 1}, {Units: 1, Count: 0}, {Units: 1, Count: 1, Granule: -2}} {
		if _, err := Equal(r); !errors.Is(err, ErrRequest) {
			t.Errorf("%+v: error %v, want ErrRequest", r, err)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, name := range []string{"equal", "Equal", "EqualSplit", "equal-split", "balanced", "BalancedPartitioner", "balanced_partitioner"} {
		s, err := Lookup(name)
		if err != nil || s.Name != "equal" {
			t.Errorf("Lookup(%q) = %q, %v", name, s.Name, err)
		}
	}
	if _, err := Lookup("fair"); err == nil {
		t.Error("Lookup accepted an unknown name")
	}
}

// check tests what must hold of every division: coverage in order without
// gaps, cuts on granules, and lengths that differ by less than two granules.
func check(t *testing.T, r Request) {
	t.Helper()
	shares, err := Equal(r)
	if err != nil {
		t.Fatal(err)
	}
	granule := max(r.Granule, 1)
	var at int64
	least, most := r.Units, int64(0)
	for i, s := range shares {
		if s.Lo != at || s.Hi < s.Lo {
			t.Fatalf("%+v: share %d is %+v, expected to start at %d", r, i, s, at)
		}
		if s.Hi%granule != 0 && s.Hi != r.Units {
			t.Fatalf("%+v: cut at %d is no multiple of the granule", r, s.Hi)
		}
		if i > 0 && s.Len() > shares[i-1].Len() {
			t.Fatalf("%+v: share %d is longer than the one before it", r, i)
		}
		at, least, most = s.Hi, min(least, s.Len()), max(most, s.Len())
	}
	if at != r.Units || len(shares) != r.Count {
		t.Fatalf("%+v: %d shares cover %d units", r, len(shares), at)
	}
	if most-least >= 2*granule {
		t.Fatalf("%+v: shares between %d and %d units", r, least, most)
	}
}

func TestEqualProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		check(t, Request{Units: rng.Int64N(1 << rng.IntN(40)), Count: 1 + rng.IntN(16), Granule: rng.Int64N(1 << rng.IntN(20))})
	}
}

func FuzzEqual(f *testing.F) {
	f.Add(int64(10), uint8(3), int64(1))
	f.Add(int64(1)<<62, uint8(7), int64(1)<<61)
	f.Add(int64(9223372036854775807), uint8(2), int64(4611686018427387905))
	f.Fuzz(func(t *testing.T, units int64, count uint8, granule int64) {
		r := Request{Units: units, Count: int(count), Granule: granule}
		if r.check() != nil {
			if _, err := Equal(r); !errors.Is(err, ErrRequest) {
				t.Fatalf("%+v: error %v", r, err)
			}
			return
		}
		if granule > 1<<61 { // the property itself would overflow
			_, _ = Equal(r)
			return
		}
		check(t, r)
	})
}

func FuzzLookup(f *testing.F) {
	f.Add("equal")
	f.Add("Equal_Split")
	f.Fuzz(func(t *testing.T, name string) {
		if s, err := Lookup(name); err == nil && s.Divide == nil {
			t.Fatalf("Lookup(%q) returned a strategy that cannot divide", name)
		}
	})
}
