package partition

import (
	"math"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b), 1) }

// TestScore: the range is 22 (a CPU without memory and cores) to 98.
func TestScore(t *testing.T) {
	const gb = 1 << 30
	for name, c := range map[string]struct {
		traits Traits
		want   float64
	}{
		"least":           {Traits{Type: "cpu", Backend: "vulkan"}, 22},
		"most":            {Traits{Type: "discrete", Backend: "vulkan", Memory: 80 * gb, Cores: 16896}, 98},
		"small card":      {Traits{Type: "discrete", Backend: "vulkan", Memory: 6 * gb, Cores: 1000}, 0.4*100 + 18 + 12 + 10},
		"integrated":      {Traits{Type: "integrated", Backend: "vulkan", Memory: 2 * gb, Cores: 512}, 20 + 18 + 4 + 0.2*25.6},
		"virtual dx12":    {Traits{Type: "virtual", Backend: "dx12"}, 12 + 20},
		"metal":           {Traits{Type: "discrete", Backend: "metal"}, 40 + 17},
		"others":          {Traits{Type: "other", Backend: "opengl"}, 4 + 10},
		"flops for cores": {Traits{Type: "cpu", Backend: "vulkan", Flops: 1000 * 3.5e9}, 32},
		"2,000 cores":     {Traits{Type: "cpu", Backend: "vulkan", Cores: 2000}, 42},
	} {
		if got := Score(c.traits); !near(got, c.want) {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
}

// TestBest is the vector of workloads.md 6.6.
func TestBest(t *testing.T) {
	devices := []Device{{Score: 95, Load: 0.8}, {Score: 80, Load: 0.3}}
	if !near(devices[0].Score*(1-devices[0].Load), 19) || !near(devices[1].Score*(1-devices[1].Load), 56) {
		t.Error("the products are not 19 and 56")
	}
	if got := Best(devices); got != 1 {
		t.Errorf("device %d", got)
	}
	if got := Best([]Device{{Score: 5}, {Score: 5}}); got != 0 {
		t.Errorf("of equal ones device %d", got)
	}
	if got := Best(nil); got != -1 {
		t.Errorf("of none device %d", got)
	}
}

func TestOperationScore(t *testing.T) {
	for _, c := range []struct {
		op      Operation
		load    float64
		healthy bool
		want    float64
		ok      bool
	}{
		{Matrix, 0, true, 60000, true},
		{MemoryBound, 0.5, true, 1500, true},
		{Mixed, 0, true, 31500, true},
		{Matrix, 0.89, true, 6600, true},
		{Matrix, 0.9, true, 6000, false},
		{Matrix, 0, false, 60000, false},
	} {
		got, ok := OperationScore(c.op, 60e12, 3e12, c.load, c.healthy)
		if !near(got, c.want) || ok != c.ok {
			t.Errorf("%+v: %g %v", c, got, ok)
		}
	}
}

func TestCapacity(t *testing.T) {
	got := Capacity(Traits{Memory: 80 << 30, Major: 9}, 0)
	if !near(got, 32+27+0.3) {
		t.Errorf("%g", got)
	}
	if got := Capacity(Traits{Memory: 80 << 30, Major: 8, Minor: 6}, 1); !near(got, 32+0.3*86+0.15) {
		t.Errorf("%g", got)
	}
}

func TestWorthIt(t *testing.T) {
	for _, c := range []struct {
		size      int64
		available int
		want      int
		route     string
	}{
		{100, 8, 1, "single-gpu"}, {19_999, 8, 1, "single-gpu"}, {20_000, 8, 2, "multi-gpu"}, {35_000, 8, 3, "multi-gpu"},
		{1 << 40, 8, 4, "multi-gpu"}, {1 << 40, 2, 2, "multi-gpu"}, {1 << 40, 1, 1, "single-gpu"}, {1 << 40, 0, 0, "cpu"}, {0, 3, 1, "single-gpu"},
	} {
		if n, route := WorthIt(c.size, c.available), Route(c.size, c.available); n != c.want || route != c.route {
			t.Errorf("size %d, %d devices: %d, %s", c.size, c.available, n, route)
		}
	}
}

// TestOptimal: the fastest for the operation that has the memory and is not in use.
func TestOptimal(t *testing.T) {
	fast, large := Candidate{60000, true, 16 << 30}, Candidate{30000, true, 80 << 30}
	busy := Candidate{90000, false, 80 << 30}
	for _, c := range []struct {
		bytes   int64
		devices []Candidate
		want    int
	}{
		{1 << 30, []Candidate{large, fast, busy}, 1},
		{64 << 30, []Candidate{large, fast, busy}, 0},
		{96 << 30, []Candidate{large, fast, busy}, -1},
		{96 << 30, []Candidate{large, {100, true, 0}}, 1}, // what is not known does not exclude
		{1, []Candidate{fast, fast}, 0},
		{1, []Candidate{{}, busy}, -1},
		{1, nil, -1},
	} {
		if got := Optimal(c.bytes, c.devices); got != c.want {
			t.Errorf("%d bytes over %+v: device %d, want %d", c.bytes, c.devices, got, c.want)
		}
	}
}
