package suites

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

var sizes = Sizes{S: 64, M: 1 << 20, L: 1 << 40}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		text  string
		n     int64
		label string
	}{
		{"S", 64, "S"}, {"m", 1 << 20, "M"}, {"L", 1 << 40, "L"},
		{"64", 64, "S"}, {"1048576", 1 << 20, "M"}, {"65", 65, "custom"}, {"1", 1, "custom"},
		{"1Mi", 1 << 20, "M"}, {"3Ki", 3072, "custom"}, {"2Gi", 2 << 30, "custom"},
	} {
		if n, label, err := sizes.Parse(c.text); n != c.n || label != c.label || err != nil {
			t.Errorf("%q: %d %q %v, expected %d %q", c.text, n, label, err, c.n, c.label)
		}
	}
	for _, text := range []string{"", "XL", "0", "-64", "6.4", "1e3", " 64", "Ki", "-1Ki", "4k", "8Ti", "-99999999999999999999"} {
		if n, label, err := sizes.Parse(text); err == nil || !strings.Contains(err.Error(), "whole number above 0") {
			t.Errorf("%q: %d %q %v", text, n, label, err)
		}
	}
	for _, text := range []string{"99999999999999999999", "9007199254740992Ki"} {
		if n, label, err := sizes.Parse(text); err == nil || !strings.Contains(err.Error(), "too large") {
			t.Errorf("%q: %d %q %v", text, n, label, err)
		}
	}
	for _, text := range []string{"..64", "4..", "..", "../a"} {
		if got, err := sizes.List(text); err == nil || !strings.Contains(err.Error(), strconv.Quote(text)) {
			t.Errorf("%q: %v %v", text, got, err)
		}
	}
}

func TestSizeLists(t *testing.T) {
	for text, want := range map[string][]Size{
		"S":          {{64, "S"}},
		"4,64,1Mi":   {{4, "custom"}, {64, "S"}, {1 << 20, "M"}},
		"4..64":      {{4, "custom"}, {16, "custom"}, {64, "S"}},
		"1..20,16,M": {{1, "custom"}, {4, "custom"}, {16, "custom"}, {1 << 20, "M"}},
		"4611686018427387904..9223372036854775807": {{1 << 62, "custom"}},
	} {
		if got, err := sizes.List(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "4,", "4..", "..4", "8..4", "4,4..x"} {
		if got, err := sizes.List(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What is accepted is a size above 0 that reads back as itself.
func FuzzSizes(f *testing.F) {
	for _, text := range []string{"S", "l", "64", "-1", "+7", "0x10", "1_000"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, label, err := sizes.Parse(text)
		if err != nil {
			if n != 0 || label != "" {
				t.Errorf("%q: %d %q beside %v", text, n, label, err)
			}
			return
		}
		again, same, err := sizes.Parse(strconv.FormatInt(n, 10))
		if n <= 0 || again != n || same != label || err != nil {
			t.Errorf("%q: %d %q, then %d %q %v", text, n, label, again, same, err)
		}
	})
}
