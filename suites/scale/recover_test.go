package scale

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

var errLost = errors.New("vkQueueSubmit2 on g: VK_ERROR_DEVICE_LOST")

// loss is what a machine reports of a device that fails.
func loss(device int) error {
	return &Failure{Status: result.DeviceLost, Err: &Fault{Device: device, Err: errLost}}
}

// recovering runs a sweep over strong rows of 1 and 2 devices that may try twice more.
func recovering(t *testing.T, devices int, m *machine) (*Sweep, *keeper) {
	t.Helper()
	c := config(devices)
	c.Modes = []string{Strong}
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	k := &keeper{}
	s := &Sweep{Machine: m, Observer: k, Pool: c.Pool, Preset: c.Preset, Now: m.now, Recovery: Recovery{Retries: 2}}
	if err := s.Run(t.Context(), cells); err != nil {
		t.Fatal(err)
	}
	if len(k.trials) != len(cells) || m.open != 0 {
		t.Errorf("%d trials of %d cells, %d sessions left open", len(k.trials), len(cells), m.open)
	}
	return s, k
}

func codes(t result.Trial) string {
	var out []string
	for _, w := range t.Warnings {
		out = append(out, w.Code)
	}
	return strings.Join(out, ",")
}

// A failure that passes costs a launch that nobody sees but in a warning; the sample
// of the good try is whole.
func TestRetry(t *testing.T) {
	failures := 2
	m := &machine{launch: func(c Cell) error {
		if c.Count == 2 && failures > 0 {
			failures--
			return loss(10)
		}
		return nil
	}}
	s, k := recovering(t, 2, m)
	retried := 0
	for _, tr := range k.trials {
		if tr.Status != result.OK {
			t.Errorf("%s: %s", tr.Status, tr.Reason)
		}
		if codes(tr) == "retried,retried" && strings.Contains(tr.Warnings[1].Text, "try 2 of 3: "+errLost.Error()) {
			retried++
		}
	}
	if retried != 1 {
		t.Errorf("%d trials tell of two failed tries", retried)
	}
	if h := s.Health(); len(h) != 1 || h[0] != (result.Health{Device: 10, Errors: 2, Last: errLost.Error()}) {
		t.Errorf("health %+v", h)
	}
}

// A device that fails for good is out: what others can do in its place they do, and
// rows of the whole pool are computed by fewer, checked and marked.
func TestExclusion(t *testing.T) {
	for _, test := range []struct {
		devices int
		row     string // what became of rows with two devices of which one is out
	}{{2, result.Degraded}, {3, result.OK}} {
		m := &machine{sample: func(c Cell, n int) error {
			if slices.Contains(c.Devices, 11) && n > 4 {
				return loss(11)
			}
			return nil
		}}
		s, k := recovering(t, test.devices, m)
		for _, tr := range k.trials {
			switch {
			case tr.Count == 1 && (tr.Status != result.OK || tr.Devices[0] == 11):
				t.Errorf("%d devices: one of them: %s (%s) on %v", test.devices, tr.Status, tr.Reason, tr.Devices)
			case tr.Count == 2 && tr.Status != test.row:
				t.Errorf("%d devices: two of them: %s (%s)", test.devices, tr.Status, tr.Reason)
			case tr.Status == result.OK && slices.Contains(tr.Devices, 11):
				t.Errorf("a sample of the failed device: %+v", tr.Devices)
			case tr.Status == result.Degraded:
				if !tr.Verified || tr.Digest != "d12" || len(tr.Samples) != 0 || !slices.Equal(tr.Devices, []int{10, 11}) ||
					!strings.Contains(tr.Reason, "device 11 is out: warm-up: "+errLost.Error()+" (failed 3 times)") ||
					!strings.Contains(tr.Reason, "done by device 10 and is correct") {
					t.Errorf("%+v", tr)
				}
			}
		}
		if h := s.Health(); len(h) != 1 || !h[0].Out || h[0].Errors != 3 || h[0].Device != 11 {
			t.Errorf("health %+v", h)
		}
	}
}

// Where every device fails nothing is left to measure on, and the sweep still ends.
func TestNoDeviceLeft(t *testing.T) {
	m := &machine{launch: func(c Cell) error { return loss(c.Devices[0]) }}
	s, k := recovering(t, 2, m)
	for _, tr := range k.trials {
		if tr.Status != result.DeviceLost || tr.Samples == nil {
			t.Errorf("%s (%s)", tr.Status, tr.Reason)
		}
	}
	if last := k.trials[len(k.trials)-1].Reason; !strings.HasPrefix(last, "no device is left: device ") {
		t.Errorf("%s", last)
	}
	if h := s.Health(); len(h) != 2 || !h[0].Out || !h[1].Out {
		t.Errorf("health %+v", h)
	}
}

// Running out of memory is tried again but takes no device out; a failure that names no
// device neither.
func TestWhatExcludesNothing(t *testing.T) {
	for _, err := range []error{
		&Failure{Status: result.Unsupported, Err: &Fault{Device: 10, Err: errors.New("out of memory")}},
		&Failure{Status: result.DeviceLost, Err: &Fault{Device: -1, Err: errors.New("barrier")}},
	} {
		launches := 0
		m := &machine{launch: func(c Cell) error {
			launches++
			if c.Count == 2 {
				return err
			}
			return nil
		}}
		s, k := recovering(t, 2, m)
		if want := 4 + 3 + 3; launches != want { // all tries for one launch of the row, one for each other
			t.Errorf("%v: %d launches, want %d", err, launches, want)
		}
		var f *Failure
		errors.As(err, &f)
		for _, tr := range k.trials {
			if tr.Count == 2 && tr.Status != f.Status {
				t.Errorf("%s (%s)", tr.Status, tr.Reason)
			}
		}
		for _, h := range s.Health() {
			if h.Out {
				t.Errorf("%v: %+v", err, h)
			}
		}
	}
}

// What fails on two devices at once counts in the health of both.
func TestFailureOnTwoDevices(t *testing.T) {
	m := &machine{launch: func(c Cell) error {
		if c.Count == 2 {
			return &Failure{Status: result.Unsupported, Err: &Fault{Device: 10, Beside: []int{11}, Err: errors.New("out of memory")}}
		}
		return nil
	}}
	s, _ := recovering(t, 2, m)
	health := s.Health()
	if len(health) != 2 || health[0].Errors != health[1].Errors || health[0].Errors == 0 || health[1].Last != "out of memory" {
		t.Errorf("%+v", health)
	}
}

// A wrong result is never tried again: it is a fact.
func TestWrongIsNotRetried(t *testing.T) {
	launches := 0
	m := &machine{launch: func(Cell) error { launches++; return nil }}
	m.verify = func(Cell) (Verification, error) {
		return Verification{}, &Failure{Status: result.WrongResult, Err: &Fault{Device: 10, Err: errors.New("link")}}
	}
	_, k := recovering(t, 1+1, m)
	if launches != len(k.trials) {
		t.Errorf("%d launches of %d cells", launches, len(k.trials))
	}
}

// A device beyond a limit of its sensors is out before it is measured.
func TestUnfit(t *testing.T) {
	c := config(3)
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	m, k := &machine{}, &keeper{}
	s := Sweep{Machine: m, Observer: k, Pool: c.Pool, Preset: c.Preset, Now: m.now, Recovery: Recovery{Unfit: func(_ context.Context, team []int) (int, string, bool) {
		return 12, "97 C, the limit is 85 C", slices.Contains(team, 12)
	}}}
	if err := s.Run(t.Context(), cells); err != nil {
		t.Fatal(err)
	}
	for _, tr := range k.trials {
		if tr.Status != result.OK || slices.Contains(tr.Devices, 12) {
			t.Errorf("%s on %v", tr.Status, tr.Devices)
		}
	}
	if h := s.Health(); fmt.Sprint(h) != "[{12 1 97 C, the limit is 85 C true 0}]" {
		t.Errorf("health %v", h)
	}
}

// Launches of an interrupted sweep are remembered: what they computed must be
// computed again, and what they compared in full is not compared again.
func TestEarlier(t *testing.T) {
	c := config(2)
	c.Modes = []string{Strong}
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	first := &keeper{}
	m := &machine{}
	s := Sweep{Machine: m, Observer: first, Pool: c.Pool, Preset: c.Preset, Now: m.now}
	if err := s.Run(t.Context(), cells[:4]); err != nil {
		t.Fatal(err)
	}
	for _, other := range []bool{false, true} {
		again := &machine{}
		if other {
			again.verify = func(Cell) (Verification, error) { return Verification{Digest: "other"}, nil }
		}
		k := &keeper{}
		s = Sweep{Machine: again, Observer: k, Pool: c.Pool, Preset: c.Preset, Now: again.now, Earlier: first.trials}
		if err := s.Run(t.Context(), cells[4:]); err != nil {
			t.Fatal(err)
		}
		for _, tr := range k.trials {
			if wrong := tr.Status == result.WrongResult; wrong != other || wrong && !strings.Contains(tr.Reason, "before the interruption") {
				t.Errorf("%s (%s)", tr.Status, tr.Reason)
			}
		}
		if slices.Contains(again.full, true) {
			t.Error("a full check of what was checked in full")
		}
	}
}
