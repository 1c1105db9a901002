package vk_test

import (
	"testing"
	"time"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

func TestLeastStep(t *testing.T) {
	const mask32 = 1<<32 - 1
	for name, c := range map[string]struct {
		ticks []uint64
		mask  uint64
		want  uint64
	}{
		"equal neighbours":       {[]uint64{5, 5, 5, 37, 37, 101}, ^uint64(0), 32},
		"wrap of 32 bits":        {[]uint64{mask32 - 3, mask32 - 3, 4, 4, 40}, mask32, 8},
		"wrap of 36 bits":        {[]uint64{1<<36 - 1, 1, 9}, 1<<36 - 1, 2},
		"wrap of 64 bits":        {[]uint64{^uint64(0), 6, 100}, ^uint64(0), 7},
		"all equal":              {[]uint64{9, 9, 9, 9}, mask32, 0},
		"one":                    {[]uint64{9}, mask32, 0},
		"none":                   {nil, mask32, 0},
		"the last pair is least": {[]uint64{0, 1000, 3000, 3002}, mask32, 2},
	} {
		if got := vk.LeastStep(c.ticks, c.mask); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestTimestampGranularity(t *testing.T) {
	_, devices := vktest.Devices(t, "1+swiftshader")
	for _, d := range devices {
		begin := time.Now()
		got, err := d.TimestampGranularity(limit(t))
		took := time.Since(begin).Seconds()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %g s, period %g ns, took %g s", d.Info().Name, got, d.Info().Limits.TimestampPeriod, took)
		// A thousand of the smallest steps fit into the time that writing them took.
		if least := d.Info().Limits.TimestampPeriod * 1e-9; got < least || got > took {
			t.Errorf("%s: %g s with a unit of %g s, measured in %g s", d.Info().Name, got, least, took)
		}
	}
}
