package scale

import (
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// reporting runs a sweep like recovering, with what drivers report: said is asked before
// and after every try.
func reporting(t *testing.T, devices int, m *machine, said func(team []int) []Reported) (*Sweep, *keeper) {
	t.Helper()
	c := config(devices)
	c.Modes = []string{Strong}
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	k := &keeper{}
	s := &Sweep{Machine: m, Observer: k, Pool: c.Pool, Preset: c.Preset, Now: m.now, Recovery: Recovery{Retries: 1}, Reported: said}
	if err := s.Run(t.Context(), cells); err != nil {
		t.Fatal(err)
	}
	return s, k
}

// An error reported during a launch voids its samples, one before it voids none; both
// are counted.
func TestReportedErrors(t *testing.T) {
	m, asked := &machine{}, 0
	s, k := reporting(t, 2, m, func(team []int) []Reported {
		asked++
		switch {
		case asked == 3 && slices.Contains(team, 10): // before the second launch
			return []Reported{{Device: 10, Xid: 13}}
		case asked == 6 && len(team) > 0: // during the third one
			return []Reported{{Device: team[0], Xid: 48}, {Device: team[0], Xid: 63}, {Device: team[0], Xid: 48}}
		}
		return nil
	})
	if len(k.trials) < 3 || asked != 2*len(k.trials) {
		t.Fatalf("%d trials, asked %d times", len(k.trials), asked)
	}
	void := 0
	for i, tr := range k.trials {
		valid := tr.Valid()
		if i != 2 {
			if len(tr.Invalid) != 0 {
				t.Errorf("launch %d: invalid %v", i+1, tr.Invalid)
			}
			continue
		}
		for n := range tr.Samples {
			if !valid.Of(n) {
				void++
			}
		}
		if void != len(tr.Samples) || tr.Invalid[0].Reason != result.InvalidDevice || !strings.HasPrefix(tr.Invalid[0].Detail, "Xid 48 (2 times), 63 on device ") {
			t.Errorf("%d of %d samples are void: %+v", void, len(tr.Samples), tr.Invalid)
		}
		if codes(tr) != XidCode || !strings.Contains(tr.Warnings[0].Text, "during the launch") {
			t.Errorf("warnings %+v", tr.Warnings)
		}
	}
	total := 0
	for _, h := range s.Health() {
		total += h.Xids
		if h.Errors != 0 || h.Out || !strings.HasPrefix(h.Last, "Xid ") {
			t.Errorf("health %+v", h)
		}
	}
	if want := 3 + strings.Count(codes(k.trials[1]), XidCode); total != want {
		t.Errorf("%d errors counted, want %d", total, want)
	}
}

// What was reported of a try that failed is told by the trial that came of it, whether
// the device came back or others took its place.
func TestReportedErrorsOfFailedTries(t *testing.T) {
	for _, fatal := range []bool{false, true} {
		failures := 0
		m := &machine{launch: func(c Cell) error {
			if c.Count == 2 && slices.Contains(c.Devices, 10) && (fatal || failures == 0) {
				failures++
				return loss(10)
			}
			return nil
		}}
		told := 0
		s, k := reporting(t, 3, m, func(team []int) []Reported {
			if failures > told {
				told = failures
				return []Reported{{Device: 10, Xid: 79}}
			}
			return nil
		})
		seen := 0
		for _, tr := range k.trials {
			seen += strings.Count(codes(tr), XidCode)
			if tr.Status != result.OK && !fatal {
				t.Errorf("%s: %s", tr.Status, tr.Reason)
			}
		}
		if failures == 0 || seen != failures {
			t.Errorf("%d failed tries with an Xid, %d warnings", failures, seen)
		}
		h := s.Health()
		if len(h) != 1 || h[0].Xids != failures || h[0].Errors != failures || h[0].Last != errLost.Error() || h[0].Out != fatal {
			t.Errorf("health %+v after %d failures", h, failures)
		}
	}
}

func TestXidText(t *testing.T) {
	for _, c := range []struct {
		numbers []uint64
		want    string
	}{
		{[]uint64{79}, "Xid 79"},
		{[]uint64{31, 48, 31, 31}, "Xid 31 (3 times), 48"},
		{[]uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1}, "Xid 1 (2 times), 2, 3, 4, 5, 6, 7, 8 and 2 more"},
	} {
		if got := XidText(c.numbers); got != c.want {
			t.Errorf("%v: %q, want %q", c.numbers, got, c.want)
		}
	}
}
