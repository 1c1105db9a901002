package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk/vktest"
)

// TestClockMapping: timestamps mapped by a bracketed pair lie between two
// readings of the host clock; a pair with another epoch is refused.
func TestClockMapping(t *testing.T) {
	_, devices := vktest.Devices(t, "1+swiftshader")
	for _, d := range devices {
		p, err := bracketed(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		if p.deviation > 1e8 {
			t.Errorf("a pair known to %d ns", p.deviation)
		}
		if err := confirm(context.Background(), d, p); err != nil {
			t.Error(err)
		}
		for _, off := range []int64{-11.85e9, 11.85e9, 5e8} { // the first is an offset seen on a GPU
			wrong := p
			wrong.nanos += off
			if err := confirm(context.Background(), d, wrong); !errors.Is(err, errClock) {
				t.Errorf("a clock off by %d ns passed: %v", off, err)
			}
		}
	}
}

// TestStartSkewIsKnown: on devices with calibrated clocks spans lie inside the
// sample and the start skew is small against it.
func TestStartSkewIsKnown(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	w, err := suites.Find("memory/vector-add")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Launch(context.Background(), Spec{
		Workload: w, Adapters: adapters, Transport: "auto",
		Build: suites.Build{Size: 1 << 16, Base: 1 << 16, Count: 2, Divide: func(u, _ int64) []program.Share { return divide(u, 2) }, Limits: PoolLimits(adapters)},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if !s.clocks.known() {
		t.Fatal("no common clock on drivers that have timestamps")
	}
	if _, err := s.Verify(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	sample, err := s.Sample(context.Background(), 4)
	if err != nil {
		t.Fatal(err)
	}
	if len(sample.Spans) == 0 || sample.Times == nil || sample.Times.Skew <= 0 {
		t.Fatalf("no spans or no skew: %+v", sample)
	}
	for _, sp := range sample.Spans {
		if sp.Start < -1e-4 || sp.End < sp.Start || sp.End > 4*sample.Seconds+1e-3 {
			t.Errorf("span %+v outside a sample of %g s", sp, 4*sample.Seconds)
		}
	}
}

// TestClocksAreRenewed: a pair of the driver that is old gives way to a new one, another one
// stays, and so does one that the driver cannot renew, which is said once.
func TestClocksAreRenewed(t *testing.T) {
	for _, fault := range []string{"", "vulkan:call=vkGetCalibratedTimestampsEXT,device=0,nth=65,result=VK_ERROR_OUT_OF_HOST_MEMORY,times=999"} {
		t.Setenv("AMGPU_FAULT", fault)
		_, adapters := vktest.Team(t, "2")
		w, err := suites.Find("memory/vector-add")
		if err != nil {
			t.Fatal(err)
		}
		s, err := Launch(context.Background(), Spec{
			Workload: w, Adapters: adapters, Transport: "auto",
			Build: suites.Build{Size: 1 << 10, Base: 1 << 10, Count: 2, Divide: func(u, _ int64) []program.Share { return divide(u, 2) }, Limits: PoolLimits(adapters)},
		})
		if err != nil {
			t.Fatal(err)
		}
		now, err := monotonicRaw()
		if err != nil {
			t.Fatal(err)
		}
		notes := len(s.notes)
		old := clockPoint{ticks: 1, nanos: now - 2*clockAge}
		s.clocks = clocks{points: []clockPoint{old, old}, driver: []bool{true, false}}
		for range 3 {
			if err := s.renewClocks(); err != nil {
				t.Fatal(err)
			}
		}
		renewed := s.clocks.points[0] != old
		if renewed == (fault != "") || s.clocks.points[1] != old || renewed != s.clocks.driver[0] || (len(s.notes)-notes == 1) != (fault != "") {
			t.Errorf("%q: %+v, notes %v", fault, s.clocks, s.notes[notes:])
		}
		fresh := s.clocks.points[0]
		if err := s.renewClocks(); err != nil || s.clocks.points[0] != fresh {
			t.Errorf("%q: a pair of just now was taken again: %v", fault, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
