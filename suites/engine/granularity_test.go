package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// A launch knows how finely the clock of each of its devices counts.
func TestGranularityOfATeam(t *testing.T) {
	_, adapters := vktest.Team(t, "1+swiftshader")
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
	defer func() { _ = s.Close() }()
	list := s.Facts().Granularity
	if len(list) != len(adapters) {
		t.Fatalf("granularity %v of %d devices", list, len(adapters))
	}
	for i, seconds := range list {
		if unit := adapters[i].Info().Limits.TimestampPeriod * 1e-9; seconds < unit || seconds > 0.1 {
			t.Errorf("%s: %g s, with a unit of %g s", adapters[i].Info().Name, seconds, unit)
		}
	}
}

// The host's clock stands in for timestamps that are lacking or stand still, and only
// for those.
func TestGranularityWithoutTimestamps(t *testing.T) {
	lost := errors.New("lost")
	for _, c := range []struct {
		seconds      float64
		err          error
		host, failed bool
	}{
		{seconds: 32e-9},
		{err: fmt.Errorf("timestamps: %w", vk.ErrUnsupported), host: true},
		{err: fmt.Errorf("1000 in a row: %w", vk.ErrStandstill), host: true},
		{err: lost, failed: true},
	} {
		got, refused, err := finestOf(c.seconds, c.err)
		switch {
		case c.failed != (err != nil) || c.host != (refused != nil):
			t.Errorf("%v: refused %v, error %v", c.err, refused, err)
		case c.host && !(got > 0 && got < 1):
			t.Errorf("%v: the host's clock counts in steps of %g s", c.err, got)
		case !c.host && got != c.seconds:
			t.Errorf("%g s became %g s", c.seconds, got)
		}
	}
}

func TestLeastStep(t *testing.T) {
	for _, c := range []struct {
		list []int64
		want int64
	}{{[]int64{7, 7, 7}, 0}, {[]int64{7, 7, 47, 72, 72}, 25}, {[]int64{9, 3, 8}, 5}, {nil, 0}} {
		if got := leastStep(c.list); got != c.want {
			t.Errorf("%v: %d, want %d", c.list, got, c.want)
		}
	}
}
