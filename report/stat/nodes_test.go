package stat

import (
	"math"
	"testing"
)

func equals(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// TestFitLevelExact: times made of known costs give them back.
func TestFitLevelExact(t *testing.T) {
	const latency, bandwidth = 4e-6, 25e9
	var list []Exchanged
	for _, bytes := range []float64{1 << 10, 1 << 20, 1 << 28} {
		for _, h := range []float64{1, 2, 14} {
			list = append(list, Exchanged{h, bytes, latency*h + bytes/bandwidth})
		}
	}
	l, ok := FitLevel(list)
	if !ok || !equals(l.Latency, latency) || !equals(l.Bandwidth, bandwidth) || l.Doubt > 1e-9 {
		t.Errorf("%+v, want %g s and %g B/s without doubt", l, latency, bandwidth)
	}
	for _, c := range []struct {
		one  Exchanged
		want Level
	}{
		{Exchanged{2, 1 << 10, 1e-5}, Level{Latency: 5e-6, Bandwidth: math.Inf(1)}}, // small: the latency takes all
		{Exchanged{1, 1 << 30, 1}, Level{Bandwidth: 1 << 30}},
	} {
		if l, ok := FitLevel([]Exchanged{c.one}); !ok || !equals(l.Latency, c.want.Latency) && c.want.Latency > 0 || l.Bandwidth != c.want.Bandwidth {
			t.Errorf("%+v: %+v, want %+v", c.one, l, c.want)
		}
	}
	if _, ok := FitLevel(nil); ok {
		t.Error("a level from nothing")
	}
}

// TestNodesExact: a halo of 1 MB on nodes of 4 devices, by hand.
func TestNodesExact(t *testing.T) {
	traffic := func(devices int) ([]Traffic, float64, error) {
		return []Traffic{{HandOvers: 2, Inside: 1e6, Between: 1e6, Crosses: devices > 4}}, 1 / float64(devices), nil
	}
	m := Nodes{Compute: 1.6, Alone: 1.6, PerNode: 4, Inside: Level{Latency: 1e-5, Bandwidth: 1e9}, Between: Level{Latency: 9e-5, Bandwidth: 1e8, Doubt: 0.5}, Program: traffic}
	f, err := m.At(8) // 32 devices: 50 ms, 2 x 100 us, 1 ms, 10 ms
	if err != nil {
		t.Fatal(err)
	}
	const want = 0.05 + 2e-4 + 1e-3 + 1e-2
	if f.Count != 32 || !equals(f.Seconds.Value, want) || !equals(f.Efficiency.Value, 1.6/(32*want)) || f.Wall != "" {
		t.Errorf("%+v: %g s, %g; want %g s", f, f.Seconds.Value, f.Efficiency.Value, want)
	}
	if lo, hi := want-5.1e-3, want+5.1e-3; !equals(*f.Seconds.Low, lo) || !equals(*f.Seconds.High, hi) {
		t.Errorf("interval %g to %g, want half of what crosses on either side: %g to %g", *f.Seconds.Low, *f.Seconds.High, lo, hi)
	}
	// 64 nodes compute 6.25 ms: the network takes longer from there on.
	if f, err = m.At(512); err != nil || f.Wall != WallBetween || f.WallNodes != 64 {
		t.Errorf("wall %q on %d nodes, %v", f.Wall, f.WallNodes, err)
	}
	m.Weak, m.Compute, m.Alone = true, 0.5, 0.5
	if f, err = m.At(512); err != nil || !equals(f.Efficiency.Value, 0.5/(0.5+2e-4+1e-3+1e-2)) || f.Wall != "" {
		t.Errorf("weak: %g, wall %q, %v", f.Efficiency.Value, f.Wall, err)
	}
}

// TestNodesFourFromOneAndTwo: costs fitted from one and two devices predict four exactly
// where the timings follow the model.
func TestNodesFourFromOneAndTwo(t *testing.T) {
	const one, latency, bandwidth = 2e-3, 2e-5, 5e9
	traffic := func(n int) ([]Traffic, float64, error) {
		if n < 2 {
			return nil, 0, nil
		}
		return []Traffic{{HandOvers: 1, Inside: float64(n-1) * 8e6}}, 0, nil
	}
	at := func(n int, h, bytes float64) float64 { return one/float64(n) + h*latency + bytes/bandwidth }
	l, _ := FitLevel([]Exchanged{{1, 8e6, at(2, 1, 8e6) - one/2}, {1, 4096, latency + 4096/bandwidth}})
	m := Nodes{Compute: one, Alone: one, PerNode: 4, Inside: l, Program: traffic}
	f, err := m.At(1)
	if want := at(4, 1, 24e6); err != nil || !equals(f.Seconds.Value, want) {
		t.Errorf("%g s on four, want %g, %v", f.Seconds.Value, want, err)
	}
}

// TestNodesWithoutWork: 100 units of work on more devices than that take the time of one unit,
// and the devices that have none are the wall.
func TestNodesWithoutWork(t *testing.T) {
	share := func(devices int) ([]Traffic, float64, error) {
		most := math.Ceil(100 / float64(devices))
		return nil, most / 100, nil
	}
	m := Nodes{Compute: 1, Alone: 1, ComputeDoubt: 0.1, PerNode: 4, Program: share}
	for _, c := range []struct {
		nodes           int
		seconds, idle   float64
		wall            string
		nodesOfThatWall int
	}{
		{4, 0.07, 0.07 - 1.0/16, "", 0}, // 16 devices: 7 units at most
		{25, 0.01, 0, "", 0},
		{64, 0.01, 0.01 - 1.0/256, WallIdle, 64}, // 256 devices, 156 without work
		{512, 0.01, 0.01 - 1.0/2048, WallIdle, 64},
	} {
		f, err := m.At(c.nodes)
		if err != nil || !equals(f.Seconds.Value, c.seconds) || math.Abs(f.Parts.Idle-c.idle) > 1e-12 || f.Wall != c.wall || f.WallNodes != c.nodesOfThatWall {
			t.Errorf("%d nodes: %g s, %g idle, wall %q on %d, %v", c.nodes, f.Seconds.Value, f.Parts.Idle, f.Wall, f.WallNodes, err)
		}
		if !equals(*f.Seconds.High, 1.1*c.seconds) {
			t.Errorf("%d nodes: up to %g s", c.nodes, *f.Seconds.High)
		}
	}
	m.Weak = true
	if f, err := m.At(25); err != nil || !equals(f.Efficiency.Value, 1) { // a device has as much as alone
		t.Errorf("weak: %g, %v", f.Efficiency.Value, err)
	}
}
