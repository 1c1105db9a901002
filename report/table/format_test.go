package table

import (
	"math"
	"testing"
)

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{1.2345e-9, "s", "1.23 ns"}, {0.0212, "s", "21.2 ms"}, {5.5e-3, "s", "5.50 ms"}, {1, "s", "1.00 s"}, {0.9999, "s", "1.00 s"},
		{999.4, "B/s", "999 B/s"}, {999.6, "B/s", "1.00 kB/s"}, {3.35e12, "B/s", "3.35 TB/s"}, {1.999e14, "flop/s", "200 TFLOP/s"},
		{1e21, "flop/s", "1000 EFLOP/s"}, {1e-12, "s", "1.00 ps"}, {1e9, "cell/s", "1.00 Gcell/s"},
		{math.Nextafter(1000, 0), "B/s", "1.00 kB/s"}, {1000, "B/s", "1.00 kB/s"},
		{0, "flop/s", "-"}, {math.Inf(1), "s", "-"}, {math.NaN(), "s", "-"}, {-1, "s", "-"},
	} {
		if got := Quantity(c.v, c.unit); got != c.want {
			t.Errorf("%g %s: %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

func TestScaleOfAColumn(t *testing.T) {
	s := scaleFor([]float64{0.0212, 0.0107, 0.0055})
	if s.prefix != "m" || s.format(0.0212) != "21.20" || s.format(0.0055) != "5.50" {
		t.Errorf("%+v", s)
	}
	if s := scaleFor([]float64{2, 9e9}); s.prefix != "G" { // far apart: the largest decides
		t.Errorf("%+v", s)
	}
	if s := scaleFor(nil); s.format(1) != "1" {
		t.Errorf("%+v", s)
	}
}

func TestSizesAndBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 8192: "8192", 99_999: "99999", 131072: "128Ki", 1 << 20: "1Mi", 3 << 30: "3Gi",
		100_000: "100k", 1_234_567: "1.23M", 67108865: "67.1M"} {
		if got := Size(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 80 << 30: "80 GiB", math.MaxInt64: "8 EiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestIntervals(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	for want, got := range map[string]string{
		"±0.3 %":                PlusMinus(100, f(99.8), f(100.3)),
		"±0.0 %":                PlusMinus(100, f(100), f(100)),
		"±10 %":                 PlusMinus(100, f(90), f(101)),
		"":                      PlusMinus(100, nil, nil),
		"0.963 [0.957, 0.969]":  Interval(.963, f(.957), f(.969), 3),
		"0.963":                 Interval(.963, nil, nil, 3),
		"0.000 (at most 0.012)": Interval(0, nil, f(.012), 3),
		"0.000 [0.000, 0.001]":  Interval(-0.0001, f(-0.0002), f(.001), 3),
		"-":                     Estimate(nil, 3),
		"a?b?":                  Clean("a\x1bb\u202e"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
