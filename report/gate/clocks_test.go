package gate

import (
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// clocked sets the clock of every device in every launch, in Hz.
func clocked(res *result.Result, hz float64) *result.Result {
	return edit(res, func(x *result.Trial) {
		x.Clocks = nil
		for range x.Devices {
			x.Clocks = append(x.Clocks, hz)
		}
	})
}

// G6: a verdict by time that clock cycles contradict is about the clock.
func TestClocksThatDiffer(t *testing.T) {
	const w = "linalg/matmul"
	for name, c := range map[string]struct {
		time, clock float64 // of the new result; the baseline's are 1 and 1.5 GHz
		verdict     Verdict
		code        string
	}{
		"slower by the clock alone":   {1.1, 1.5e9 / 1.1, Inconclusive, "clocks_differ"},
		"faster by the clock alone":   {0.9, 1.5e9 / 0.9, Inconclusive, "clocks_differ"},
		"slower at the same clock":    {1.1, 1.5e9, Regressed, ""},
		"slower beside a lower clock": {1.2, 1.5e9 / 1.08, Regressed, ""},
		"same at another clock":       {1, 1.5e9 * 0.8, Inconclusive, "clocks_differ"},
		"same at nearly that clock":   {1, 1.5e9 * 1.02, Same, ""},
		"clocks 0.5 % apart":          {1.1, 1.5e9 * 1.005, Regressed, ""},
	} {
		r := run(t, one(clocked(made(1, as, w), 1.5e9)), clocked(made(2, slower(c.time), w), c.clock), Options{})
		if row := &r.Rows[0]; row.Verdict != c.verdict || row.Code != c.code {
			t.Errorf("%s: %s %q; want %s %q", name, row.Verdict, why(row), c.verdict, c.code)
		}
	}
	r := run(t, one(clocked(made(1, as, w), 1.5e9)), clocked(made(2, slower(1.1), w), 1.5e9/1.1), Options{})
	if text := why(&r.Rows[0]); !strings.Contains(text, "regressed by time but same by clock cycles (+0.") || !strings.Contains(text, "the clocks differ by 9.09 %") {
		t.Error(text)
	}
	// Unless both are known in every launch, time decides.
	for name, fresh := range map[string]*result.Result{
		"no clock":    made(2, slower(1.1), w),
		"not all":     edit(clocked(made(2, slower(1.1), w), 1.3e9), func(x *result.Trial) { x.Clocks = x.Clocks[:min(1, 6-x.Launch)] }),
		"not of both": edit(clocked(made(2, slower(1.1), w), 1.3e9), func(x *result.Trial) { x.Clocks[0] = 0 }),
	} {
		if r := run(t, one(clocked(made(1, as, w), 1.5e9)), fresh, Options{}); r.Count(Regressed) == 0 {
			t.Errorf("%s: %s", name, r.Headline())
		}
	}
	// Against several occasions in the same way.
	var base []*result.Result
	for day := 1; day <= 6; day++ {
		base = append(base, clocked(made(day, as, w), 1.5e9))
	}
	if r := run(t, base, clocked(made(9, slower(1.2), w), 1.25e9), Options{}); r.Count(Inconclusive) != 2 || r.Rows[0].Code != "clocks_differ" {
		t.Errorf("occasions: %s %s", r.Headline(), why(&r.Rows[0]))
	}
	// An efficiency has no cycles.
	two := func(_ string, count int) float64 { return 1 + 0.1*float64(count-1) }
	if r := run(t, one(clocked(made(1, as, w), 1.5e9)), clocked(made(2, two, w), 1.4e9), Options{Rules: rules(t, "metrics: [efficiency]")}); r.Verdict != Regressed {
		t.Errorf("efficiency: %s", r.Headline())
	}
}

// More than 5 % of samples that are no evidence leave no verdict; fewer do not count.
func TestInvalidSamples(t *testing.T) {
	const w = "linalg/matmul"
	throttled := func(launches int) *result.Result {
		return edit(made(2, slower(1.2), w), func(x *result.Trial) {
			if x.Launch < launches {
				x.Invalid = []result.InvalidSample{{Index: 2, Reason: result.InvalidThrottled}}
			}
		})
	}
	if r := run(t, one(made(1, as, w)), throttled(1), Options{}); r.Verdict != Regressed { // 1 of 35
		t.Errorf("%s: %s", r.Headline(), why(&r.Rows[0]))
	}
	r := run(t, one(made(1, as, w)), throttled(2), Options{Strict: true}) // 2 of 35
	if r.Exit != 3 || r.Rows[0].Code != "invalid_samples" || !strings.Contains(why(&r.Rows[0]), "2 of 35 samples are invalid") {
		t.Errorf("%s: %s", r.Headline(), why(&r.Rows[0]))
	}
}
