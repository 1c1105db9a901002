package cmd

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseCounts(t *testing.T) {
	for _, c := range []struct {
		text string
		pool int
		want []int
		err  string
	}{
		{"1,2,4", 4, []int{1, 2, 4}, ""},
		{"4,1,2,2", 4, []int{1, 2, 4}, ""},
		{"1-4", 4, []int{1, 2, 3, 4}, ""},
		{"1, 2,all", 6, []int{1, 2, 6}, ""},
		{"all", 1, []int{1}, ""},
		{"2-all", 3, []int{2, 3}, ""},
		{"1,8", 4, nil, "count 8 is larger than the pool of 4"},
		{"1-1000000000", 4, nil, "larger than the pool"},
		{"4-1", 4, nil, "runs backwards"},
		{"0", 4, nil, "above 0"},
		{"-1", 4, nil, `count "-1": use whole numbers above 0`},
		{"2-", 4, nil, `count "2-": use whole numbers above 0`},
		{"1,,2", 4, nil, "above 0"},
		{"", 4, nil, "above 0"},
		{"two", 4, nil, "whole numbers"},
		{"all-1", 4, nil, "runs backwards: write 1-4"},
		{"1-1000000000,all,all-1,2-all", 0, nil, ""},
		{"4-1", 0, nil, "runs backwards"},
	} {
		got, err := parseCounts(c.text, c.pool)
		if d := cmp.Diff(c.want, got); d != "" && c.err == "" {
			t.Errorf("%q: %s", c.text, d)
		}
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.err)
		}
	}
}

func TestDefaultCounts(t *testing.T) {
	for pool, want := range map[int][]int{1: {1}, 2: {1, 2}, 3: {1, 2, 3}, 4: {1, 2, 4}, 6: {1, 2, 4, 6}} {
		if got := defaultCounts(pool); !slices.Equal(got, want) {
			t.Errorf("pool of %d: %v, want %v", pool, got, want)
		}
	}
}

func TestParseSeconds(t *testing.T) {
	for text, want := range map[string]time.Duration{"10s": 10 * time.Second, "2.5": 2500 * time.Millisecond, "1m": time.Minute} {
		if got, err := parseSeconds(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-3s", "soon", "NaN", "1e300", "Inf"} {
		if got, err := parseSeconds(text); err == nil {
			t.Errorf("%q accepted as %v", text, got)
		}
	}
}

func TestParseFraction(t *testing.T) {
	for text, want := range map[string]float64{"1%": 0.01, "0.5 %": 0.005, "0.02": 0.02} {
		if got, err := parseFraction(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "%", "0", "100%", "-1%", "NaN", "1"} {
		if _, err := parseFraction(text); err == nil {
			t.Errorf("%q accepted", text)
		}
	}
}

func TestParseParams(t *testing.T) {
	got, err := parseParams([]string{"repeat=64", "depth=-1"})
	if err != nil || got["repeat"] != 64 || got["depth"] != -1 {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range [][]string{{"repeat"}, {"=3"}, {"a=b"}, {"a=1", "a=2"}, {"a=1.5"}} {
		if _, err := parseParams(bad); err == nil {
			t.Errorf("%v accepted", bad)
		}
	}
}

func FuzzParseCounts(f *testing.F) {
	f.Add("1,2,4", 4)
	f.Add("1-all", 8)
	f.Fuzz(func(t *testing.T, text string, pool int) {
		pool = 1 + (pool&0xff+0x100)%0x100
		got, err := parseCounts(text, pool)
		if err != nil {
			return
		}
		if len(got) == 0 || !slices.IsSorted(got) || got[0] < 1 || got[len(got)-1] > pool {
			t.Fatalf("%q with a pool of %d: %v", text, pool, got)
		}
	})
}

func FuzzParseConfig(f *testing.F) {
	f.Add("gpus: 1,2\nworkloads: [a/b]\n")
	f.Add("mode: [strong, weak]")
	f.Add("- a")
	f.Add("&a [*a]")
	f.Add("? [a]\n: b\nseed: {a: 1}\n")
	f.Fuzz(func(t *testing.T, text string) {
		conf, err := parseConfig(strings.NewReader(text), nil)
		if (conf == nil) == (err == nil) {
			t.Fatalf("config %v, error %v", conf, err)
		}
		if conf == nil {
			return
		}
		for _, s := range conf.settings {
			if values, err := scalars(s.value); err == nil && slices.Contains(values, "") {
				t.Fatalf("%s: %q", s.name, values)
			}
		}
	})
}

func TestParseConfig(t *testing.T) {
	conf, err := parseConfig(strings.NewReader("workloads: [a/b, c/d]\ngpus: 1,2\nmode:\n  - strong\n  - weak\n"), nil)
	if err != nil || !slices.Equal(conf.workloads, []string{"a/b", "c/d"}) || len(conf.settings) != 2 {
		t.Fatalf("%+v, %v", conf, err)
	}
	s := conf.settings[1]
	if values, err := scalars(s.value); s.name != "mode" || err != nil || !slices.Equal(values, []string{"strong", "weak"}) {
		t.Errorf("%+v %v", s, err)
	}
	if conf, err := parseConfig(strings.NewReader(""), nil); err != nil || len(conf.settings) != 0 {
		t.Errorf("empty file: %+v, %v", conf, err)
	}
}
