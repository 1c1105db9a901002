package scale

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/result"
)

// TestSidesAlternateInTheBlock: a self-test measures every cell of a block on both
// sides, one after the other, and two blocks of a cell are ABBA (M3).
func TestSidesAlternateInTheBlock(t *testing.T) {
	c := config(2)
	c.SelfTest, c.Subsets = true, "first"
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	const perBlock = 2 * 4
	if len(cells) != 4*perBlock {
		t.Fatalf("%d launches, want %d", len(cells), 4*perBlock)
	}
	order := map[string]string{}
	numbers := map[string]bool{}
	for i, cell := range cells {
		id := fmt.Sprint(cell.Mode, cell.Count)
		order[id] += cell.Side
		if n := fmt.Sprint(id, cell.Launch); numbers[n] {
			t.Errorf("%s: launch %d twice", id, cell.Launch)
		} else {
			numbers[n] = true
		}
		if cell.Block != i/perBlock {
			t.Errorf("launch %d belongs to block %d", i, cell.Block)
		}
		if i%2 == 1 {
			if other := cells[i-1]; other.Side == cell.Side || fmt.Sprint(other.Mode, other.Count, other.Devices) != fmt.Sprint(cell.Mode, cell.Count, cell.Devices) {
				t.Errorf("%s is not followed by its other side", id)
			}
		}
	}
	want := map[string]string{"strong1": "ABBAABBA", "strong2": "ABBAABBA", "weak1": "ABBAABBA", "weak2": "ABBAABBA"}
	if d := cmp.Diff(want, order); d != "" {
		t.Error(d)
	}
	k := &keeper{}
	if err := sweep(t, c, &machine{}, k); err != nil {
		t.Fatal(err)
	}
	for i, tr := range k.trials {
		if tr.Side != cells[i].Side || tr.Launch != cells[i].Launch {
			t.Errorf("trial %d: side %q, planned %q", i, tr.Side, cells[i].Side)
		}
	}
	// Without a self-test nothing has a side, and the order is as it was.
	c.SelfTest = false
	plain, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	for i, cell := range plain {
		if twin := cells[2*i]; cell.Side != "" || cell.Mode != twin.Mode || cell.Count != twin.Count {
			t.Errorf("launch %d: %s %d, in the self-test %s %d", i, cell.Mode, cell.Count, twin.Mode, twin.Count)
		}
	}
}

// throttling is a session whose first device is throttled during some samples.
type throttling struct {
	*session
	invalid func(n int) bool
}

func (s throttling) Invalid(_, _ time.Time) (reason, detail string) {
	if s.invalid(s.n) {
		return result.InvalidThrottled, "thermal"
	}
	return "", ""
}

func (s throttling) Clocks(_, _ time.Time) []float64 { return []float64{1.9e9} }

func (s throttling) ClockSpread(_, _ time.Time) float64 { return 0 }

// TestThrottledLaunches: the trial keeps which samples were throttled and the clock;
// a launch throttled too often says so in its status.
func TestThrottledLaunches(t *testing.T) {
	c := config(1)
	c.Counts, c.Modes = []int{1}, []string{Strong}
	for name, x := range map[string]struct {
		invalid func(n int) bool
		status  string
	}{
		"never": {func(int) bool { return false }, result.OK},
		"once":  {func(n int) bool { return n == 60 }, result.OK},
		"often": {func(n int) bool { return n%3 == 0 }, result.Throttled},
	} {
		m, k := &machine{}, &keeper{}
		m.wrap = func(s *session) Session { return throttling{s, x.invalid} }
		if err := sweep(t, c, m, k); err != nil {
			t.Fatal(err)
		}
		for _, tr := range k.trials {
			if tr.Status != x.status || (tr.Reason != "") != (x.status != result.OK) || !tr.Verified {
				t.Errorf("%s: %s (%s), verified %v", name, tr.Status, tr.Reason, tr.Verified)
			}
			if name == "never" && tr.Invalid != nil || name == "often" && len(tr.Invalid) < 5 {
				t.Errorf("%s: %v", name, tr.Invalid)
			}
			if d := cmp.Diff([]float64{1.9e9}, tr.Clocks); d != "" {
				t.Error(d)
			}
		}
	}
}
