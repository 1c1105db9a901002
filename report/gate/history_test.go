package gate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/result"
)

// apache/otava, tests/analysis_test.py (measurement.md 7.10).
func TestChangePointsOfOtava(t *testing.T) {
	xs := []float64{1.02, .95, .99, 1.00, 1.12, 1.00, 1.01, .98, 1.01, .96, .50, .51, .48, .48, .55, .50, .49, .51, .50, .49}
	for _, window := range []int{10, 50} {
		if d := cmp.Diff([]int{10}, ChangePoints(xs, window, 1e-4, 0.05)); d != "" {
			t.Errorf("window %d: %s", window, d)
		}
	}
	if got := ChangePoints(xs, 10, 1e-4, 0.6); len(got) != 0 {
		t.Errorf("a change of a half is reported as 60 %%: %v", got)
	}
}

func TestChangePoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	level := func(n int, v float64) []float64 { return draw(r, n, math.Log(v), 0.01) }
	for name, c := range map[string]struct {
		xs   []float64
		want []int
	}{
		"none":     {nil, nil},
		"short":    {[]float64{1, 2, 3}, nil},
		"constant": {[]float64{1, 1, 1, 1, 1, 1, 1, 1}, nil},
		"flat":     {level(200, 1), nil},
		"two":      {append(append(level(60, 1), level(60, 1.1)...), level(60, 0.9)...), []int{60, 120}},
		"exact":    {[]float64{1, 1, 1, 1, 1, 2, 2, 2, 2, 2}, []int{5}},
		"small":    {append(level(60, 1), level(60, 1.02)...), nil}, // below the magnitude
	} {
		got := ChangePoints(c.xs, historyWindow, historyP, 0.05)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// The best split of two levels is between them, by the definition of the energy
// statistic computed directly.
func TestBestSplitAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		xs := draw(r, 4+r.IntN(20), 0, 0.5)
		at, q := bestSplit(xs)
		best := 0.0
		for k := 2; k <= len(xs)-2; k++ {
			pair := func(a, b []float64) (sum float64) {
				for _, x := range a {
					for _, y := range b {
						sum += math.Abs(x - y)
					}
				}
				return sum
			}
			a, b := xs[:k], xs[k:]
			n, m := float64(len(a)), float64(len(b))
			e := 2*pair(a, b)/(n*m) - pair(a, a)/(n*(n-1)) - pair(b, b)/(m*(m-1))
			best = max(best, n*m/(n+m)*e)
		}
		if math.Abs(best-q) > 1e-9*max(1, best) {
			t.Fatalf("split %d, statistic %g, want %g", at, q, best)
		}
	}
}

func TestTrace(t *testing.T) {
	var all []*result.Result
	for day := 24; day >= 1; day-- { // newest first: order is that of the making
		level := 1.0
		if day > 12 {
			level = 1.1
		}
		res := made(day, slower(level*(1+0.002*float64(day%3))), "a/b")
		if day > 12 {
			res.Devices[0].Driver = "Example 590.1"
		}
		all = append(all, res)
	}
	all = append(all, all[0], &result.Result{}) // a copy and an empty one
	h, err := Trace(all, Options{})
	if err != nil || h.Results != 24 || len(h.Rows) != 2 {
		t.Fatalf("%+v, %v", h, err)
	}
	for _, s := range h.Rows {
		if len(s.Changes) != 1 || s.Changes[0].Index != 12 || s.Changes[0].Commit != "c13" || s.Changes[0].Verdict != Regressed ||
			math.Abs(s.Changes[0].Effect.Value-0.1) > 0.005 || !strings.Contains(s.Changes[0].Reason, "driver: Example 580.159") {
			t.Errorf("%+v", s.Changes)
		}
	}
	for _, format := range []string{"text", "md", "json"} {
		raw, err := RenderHistory(h, format)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "history."+format, raw)
	}
	if _, err := RenderHistory(h, "junit"); !errors.Is(err, ErrRequest) {
		t.Errorf("junit: %v", err)
	}
}
