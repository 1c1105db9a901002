package partition

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func scored(scores ...float64) []Device {
	out := make([]Device, len(scores))
	for i, s := range scores {
		out[i].Score = s
	}
	return out
}

func rated(rates ...float64) []Device {
	out := make([]Device, len(rates))
	for i, r := range rates {
		out[i].Rate = r
	}
	return out
}

func free(bytes ...int64) []Device {
	out := make([]Device, len(bytes))
	for i, b := range bytes {
		out[i].Free = b
	}
	return out
}

// TestGoldens: workloads.md 6.6 and what else was computed by hand.
func TestGoldens(t *testing.T) {
	loaded := scored(95, 80)
	loaded[0].Load, loaded[1].Load = 0.8, 0.3 // 19 : 56
	busy := scored(95, 80)
	busy[0].Load, busy[1].Load = 1, 1
	both := scored(95, 80)
	both[0].Rate, both[1].Rate = 1, 3
	half := scored(95, 80)
	half[0].Rate = 7 // the other rate is not known: scores decide
	late := rated(100, 100)
	late[1].Start = 0.5
	tooLate := rated(100, 100)
	tooLate[1].Start = 5
	far := rated(100, 100)
	far[1].Transfer = 0.01
	for _, c := range []struct {
		name, strategy string
		req            Request
		want           []int64
	}{
		{"95:80", "proportional", Request{Units: 10000, Count: 2, Devices: scored(95, 80)}, []int64{5429, 4571}},
		{"10 over 3", "equal", Request{Units: 10, Count: 3}, []int64{4, 3, 3}},
		{"8 over 4", "sequential", Request{Units: 8, Count: 4}, []int64{3, 3, 2, 0}},
		{"9 over 3", "sequential", Request{Units: 9, Count: 3}, []int64{4, 4, 1}},
		{"load", "dynamic", Request{Units: 75, Count: 2, Devices: loaded}, []int64{19, 56}},
		{"all busy", "dynamic", Request{Units: 175, Count: 2, Devices: busy}, []int64{95, 80}},
		{"rates replace scores", "proportional", Request{Units: 100, Count: 2, Devices: both}, []int64{25, 75}},
		{"half the rates", "proportional", Request{Units: 10000, Count: 2, Devices: half}, []int64{5429, 4571}},
		{"alike is equal", "proportional", Request{Units: 10, Count: 3, Devices: rated(2, 2, 2)}, []int64{4, 3, 3}},
		{"granules", "proportional", Request{Units: 100, Count: 2, Granule: 16, Devices: rated(1, 1)}, []int64{64, 36}},
		{"memory", "memory", Request{Units: 100, Count: 2, Devices: free(30, 10)}, []int64{75, 25}},
		{"one is full", "memory", Request{Units: 100, Count: 3, Devices: free(5e3, 4e3, 1e3), UnitBytes: 10, FixedBytes: 950}, []int64{56, 44, 0}},
		{"late start", "latency", Request{Units: 150, Count: 2, Devices: late}, []int64{100, 50}},
		{"too late", "latency", Request{Units: 150, Count: 2, Devices: tooLate}, []int64{150, 0}},
		{"transfer", "latency", Request{Units: 150, Count: 2, Devices: far}, []int64{100, 50}},
		{"hint to the first", "latency", Request{Units: 9, Count: 3, Hint: Hint{Given: true}}, []int64{9, 0, 0}},
		{"hint", "latency", Request{Units: 9, Count: 3, Hint: Hint{true, 2}}, []int64{0, 0, 9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Lookup(c.strategy)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Divide(c.req)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, lengths(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		strategy string
		req      Request
		want     error
	}{
		"nothing known":   {"proportional", Request{Units: 1, Count: 2}, ErrRequest},
		"one unknown":     {"proportional", Request{Units: 1, Count: 2, Devices: rated(1, 0)}, ErrRequest},
		"no load known":   {"dynamic", Request{Units: 1, Count: 2}, ErrRequest},
		"too few":         {"proportional", Request{Units: 1, Count: 2, Devices: rated(1)}, ErrRequest},
		"memory unknown":  {"memory", Request{Units: 1, Count: 2}, ErrRequest},
		"alone, too much": {"memory", Request{Units: 10, Count: 1, Devices: free(20), UnitBytes: 100}, ErrMemory},
		"too little":      {"memory", Request{Units: 10, Count: 2, Devices: free(10, 20), UnitBytes: 100}, ErrMemory},
		"rate unknown":    {"latency", Request{Units: 1, Count: 2, Devices: rated(1, 0)}, ErrRequest},
		"hint to nobody":  {"latency", Request{Units: 1, Count: 2, Hint: Hint{true, 2}}, ErrRequest},
		"negative":        {"sequential", Request{Units: -1, Count: 2}, ErrRequest},
		"none to take it": {"latency", Request{Units: 1}, ErrRequest},
	} {
		s, err := Lookup(c.strategy)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Divide(c.req); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

// TestOneDevice: alone it gets everything, also by strategies that know nothing of it.
func TestOneDevice(t *testing.T) {
	for _, s := range strategies {
		for _, devices := range [][]Device{nil, make([]Device, 1)} {
			r := Request{Units: 10, Count: 1, Granule: 4, Devices: devices}
			shares, err := s.Divide(r)
			if err != nil {
				t.Errorf("%s, described %v: %v", s.Name, devices, err)
				continue
			}
			covers(t, s.Name, r, shares)
		}
	}
}

// described makes devices of which everything is known.
func described(rng *rand.Rand, n int) []Device {
	out := make([]Device, n)
	for i := range out {
		out[i] = Device{Rate: 1 + 99*rng.Float64(), Score: 22 + 76*rng.Float64(), Load: rng.Float64(), Free: 1 << (20 + rng.IntN(16)), Start: rng.Float64() / 10}
	}
	return out
}

// TestStrategiesCover: whatever is asked, shares are contiguous, cover all units and are
// cut on granules, with no units, one device and more devices than units among them.
func TestStrategiesCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range strategies {
		for range 2000 {
			r := Request{Units: rng.Int64N(1 << rng.IntN(40)), Count: 1 + rng.IntN(16), Granule: rng.Int64N(1 << rng.IntN(20))}
			r.Devices = described(rng, r.Count)
			shares, err := s.Divide(r)
			if err != nil {
				t.Fatalf("%s %+v: %v", s.Name, r, err)
			}
			covers(t, s.Name, r, shares)
		}
	}
}

func covers(t *testing.T, name string, r Request, shares []Share) {
	t.Helper()
	var at int64
	for i, x := range shares {
		if x.Lo != at || x.Hi < x.Lo || x.Hi%max(r.Granule, 1) != 0 && x.Hi != r.Units {
			t.Fatalf("%s %+v: share %d is %+v", name, r, i, x)
		}
		at = x.Hi
	}
	if at != r.Units || len(shares) != r.Count {
		t.Fatalf("%s %+v: %d shares cover %d units", name, r, len(shares), at)
	}
}

// TestLatencyIsBest compares with all divisions of a few granules.
func TestLatencyIsBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 300 {
		r := Request{Units: rng.Int64N(12), Count: 3, Devices: described(rng, 3)}
		for i := range r.Devices {
			r.Devices[i].Transfer = rng.Float64() / 50
		}
		shares, err := Latency(r)
		if err != nil {
			t.Fatal(err)
		}
		best := math.Inf(1)
		for a := int64(0); a <= r.Units; a++ {
			for b := int64(0); a+b <= r.Units; b++ {
				best = min(best, makespan(t, r.shares([]int64{a, b, r.Units - a - b}), r.Devices))
			}
		}
		if got := makespan(t, shares, r.Devices); got > best*(1+1e-9) {
			t.Fatalf("%+v: %v takes %g, the best takes %g", r, lengths(shares), got, best)
		}
	}
}

func makespan(t *testing.T, shares []Share, devices []Device) (longest float64) {
	t.Helper()
	seconds, ok := Estimate(shares, devices)
	if !ok {
		t.Fatal("no estimate although all rates are known")
	}
	for _, s := range seconds {
		longest = max(longest, s)
	}
	return longest
}

func TestEstimate(t *testing.T) {
	devices := rated(100, 50)
	devices[0].Start, devices[1].Transfer = 0.5, 0.01
	got, ok := Estimate([]Share{{0, 100}, {100, 150}}, devices)
	if d := cmp.Diff([]float64{1.5, 1.5}, got); d != "" || !ok {
		t.Error(d, ok)
	}
	if got, _ := Estimate([]Share{{0, 0}, {0, 50}}, devices); got[0] != 0 {
		t.Errorf("an empty share takes %g s", got[0])
	}
	if _, ok := Estimate([]Share{{0, 1}}, scored(5)); ok {
		t.Error("an estimate without a rate")
	}
}

// TestLookupAliases finds every strategy by the names of its origins.
func TestLookupAliases(t *testing.T) {
	for name, want := range map[string]string{
		"EqualSplit": "equal", "BalancedPartitioner": "equal", "ProportionalSplit": "proportional", "CapabilityAwarePartitioner": "proportional",
		"capability-aware": "proportional", "WeightedByCapability": "proportional", "DynamicSplit": "dynamic", "MemoryAwarePartitioner": "memory",
		"memory": "memory", "LatencyOptimizedPartitioner": "latency", "LatencyOptimized": "latency", "sequential": "sequential",
	} {
		if s, err := Lookup(name); err != nil || s.Name != want {
			t.Errorf("Lookup(%q) = %q, %v", name, s.Name, err)
		}
	}
}

func FuzzLargestRemainder(f *testing.F) {
	f.Add(int64(10000), 95.0, 80.0, 0.0)
	f.Add(int64(math.MaxInt64), 1.0, 1e-300, 1e300)
	f.Fuzz(func(t *testing.T, n int64, a, b, c float64) {
		weights := []float64{a, b, c}
		for _, w := range weights {
			if !(w >= 0) || w > 1e300 {
				return
			}
		}
		if n < 0 || a+b+c <= 0 {
			return
		}
		var sum int64
		for i, x := range LargestRemainder(n, weights) {
			if x < 0 || weights[i] == 0 && x != 0 {
				t.Fatalf("%d at %v: %d", n, weights, x)
			}
			sum += x
		}
		if sum != n {
			t.Fatalf("%d at %v: %d in all", n, weights, sum)
		}
	})
}
