package scale

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
)

func sweep(t *testing.T, c Config, m *machine, k *keeper) error {
	t.Helper()
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	s := Sweep{Machine: m, Observer: k, Pool: c.Pool, Preset: c.Preset, Now: m.now}
	err = s.Run(t.Context(), cells)
	if m.open != 0 {
		t.Errorf("%d sessions left open", m.open)
	}
	return err
}

func TestSweep(t *testing.T) {
	m, k := &machine{}, &keeper{}
	if err := sweep(t, config(2), m, k); err != nil {
		t.Fatal(err)
	}
	if len(k.trials) != 16 || len(k.started) != 16 {
		t.Fatalf("%d trials of %d started, want 16", len(k.trials), len(k.started))
	}
	for _, tr := range k.trials {
		want := 12e-3
		if tr.Mode == Strong {
			want /= float64(tr.Count)
		}
		if tr.Status != result.OK || !tr.Verified || tr.Samples[0] != want || tr.Stop != "precision" || tr.Via != "host" {
			t.Errorf("%s at %d: %s, verified %v, %g s, stop %s, via %s", tr.Mode, tr.Count, tr.Status, tr.Verified, tr.Samples[0], tr.Stop, tr.Via)
		}
	}
	// All outputs once for each of 4 cells at size S.
	full := 0
	for _, f := range m.full {
		if f {
			full++
		}
	}
	if full != 4 {
		t.Errorf("%d full checks, want 4", full)
	}
}

// TestSharesHandedOut: a trial has the shares as the last sample left them.
func TestSharesHandedOut(t *testing.T) {
	m, k := &machine{deals: true}, &keeper{}
	if err := sweep(t, config(2), m, k); err != nil {
		t.Fatal(err)
	}
	for _, tr := range k.trials {
		if tr.Shares[0] < int64(len(tr.Samples)) {
			t.Errorf("%s at %d: shares %v after %d samples", tr.Mode, tr.Count, tr.Shares, len(tr.Samples))
		}
	}
}

func TestOtherSizesAreSampled(t *testing.T) {
	c := config(1)
	c.Counts, c.Items[0].Size.Label = []int{1}, "M"
	m := &machine{}
	if err := sweep(t, c, m, &keeper{}); err != nil {
		t.Fatal(err)
	}
	for _, f := range m.full {
		if f {
			t.Fatal("a full check at size M")
		}
	}
}

func TestFailuresBecomeTrials(t *testing.T) {
	lost := &Failure{Status: result.DeviceLost, Err: errors.New("VK_ERROR_DEVICE_LOST on g 11")}
	m := &machine{
		launch: func(c Cell) error {
			switch {
			case c.Mode == Weak && c.Count == 2:
				return &Failure{Status: result.Unsupported, Err: errors.New("needs 9 GiB")}
			case c.Mode == Weak:
				one := errors.New("no space for the pipeline")
				return errors.Join(one, one, errors.New("no time either"))
			}
			return nil
		},
		sample: func(c Cell, n int) error {
			if c.Count == 2 && n == 95 { // after the warm-up
				return lost
			}
			return nil
		},
	}
	k := &keeper{}
	if err := sweep(t, config(2), m, k); err != nil {
		t.Fatal(err)
	}
	for _, tr := range k.trials {
		want := map[string][2]string{
			"strong1": {result.OK, ""}, "strong2": {result.DeviceLost, "VK_ERROR_DEVICE_LOST"},
			"weak1": {result.Skipped, "failed: no space for the pipeline; no time either"}, "weak2": {result.Unsupported, "9 GiB"},
		}[fmt.Sprint(tr.Mode, tr.Count)]
		if tr.Status != want[0] || !strings.Contains(tr.Reason, want[1]) || strings.Contains(tr.Reason, "\n") {
			t.Errorf("%s at %d: %s (%s), want %v", tr.Mode, tr.Count, tr.Status, tr.Reason, want)
		}
		if tr.Status == result.DeviceLost && (len(tr.Samples) == 0 || tr.Invalid[0].Reason != result.InvalidLost) {
			t.Errorf("samples before the loss: %d, invalid %v", len(tr.Samples), tr.Invalid)
		}
		if tr.Samples == nil || tr.Work.Unit != "flop" {
			t.Errorf("%s at %d: samples %v, unit %q", tr.Mode, tr.Count, tr.Samples, tr.Work.Unit)
		}
	}
}

func TestWrongResultHasNoSamples(t *testing.T) {
	m := &machine{verify: func(c Cell) (Verification, error) {
		v := Verification{Digest: "d", Outcome: suites.Outcome{Class: "E0", Checked: 4}}
		if c.Count == 2 {
			v.Outcome.Wrong = "c[3] is 1, expected 2"
		}
		return v, nil
	}}
	c := config(2)
	c.Modes = []string{Strong}
	k := &keeper{}
	if err := sweep(t, c, m, k); err != nil {
		t.Fatal(err)
	}
	for _, tr := range k.trials {
		if wrong := tr.Count == 2; wrong != (tr.Status == result.WrongResult) || wrong == tr.Verified || wrong == (len(tr.Samples) > 0) {
			t.Errorf("count %d: %s, verified %v, %d samples", tr.Count, tr.Status, tr.Verified, len(tr.Samples))
		}
	}
}

func TestOutputsThatChangeWhileMeasuringAreWrong(t *testing.T) {
	m, k := &machine{after: func(c Cell) string {
		if c.Mode == Weak {
			return "the outputs changed"
		}
		return ""
	}}, &keeper{}
	if err := sweep(t, config(2), m, k); err != nil {
		t.Fatal(err)
	}
	for _, tr := range k.trials {
		if wrong := tr.Mode == Weak; wrong != (tr.Status == result.WrongResult) || wrong == tr.Verified {
			t.Errorf("%s: %s, verified %v", tr.Mode, tr.Status, tr.Verified)
		}
		// Every sample of such a launch is in the file, and none is evidence.
		for i := range tr.Samples {
			if tr.Valid().Of(i) != (tr.Mode != Weak) {
				t.Errorf("%s: sample %d valid: %v", tr.Mode, i, tr.Valid().Of(i))
			}
		}
	}
}

func digestSweep(t *testing.T, c Config, digest func(Cell) Verification) (wrong int) {
	t.Helper()
	m, k := &machine{verify: func(c Cell) (Verification, error) { return digest(c), nil }}, &keeper{}
	if err := sweep(t, c, m, k); err != nil {
		t.Fatal(err)
	}
	for _, tr := range k.trials {
		if tr.Status == result.WrongResult {
			wrong++
			if !strings.Contains(tr.Reason, "outputs differ") {
				t.Errorf("reason %q", tr.Reason)
			}
		}
	}
	return wrong
}

func TestDigestsAreComparedBetweenCounts(t *testing.T) {
	c := config(2)
	byCount := func(c Cell) Verification { return Verification{Digest: fmt.Sprint(c.Total, "at", c.Count)} }
	if n := digestSweep(t, c, byCount); n == 0 {
		t.Error("counts that compute other outputs pass")
	}
	if n := digestSweep(t, c, func(c Cell) Verification {
		return Verification{Digest: fmt.Sprint(c.Total, "at", c.Count), CountDependent: true}
	}); n != 0 {
		t.Errorf("%d wrong rows though outputs may depend on the count", n)
	}
	if n := digestSweep(t, c, func(c Cell) Verification {
		return Verification{Digest: fmt.Sprint(c.Launch), CountDependent: true}
	}); n == 0 {
		t.Error("launches that compute other outputs pass")
	}
	c.Pool = pool("fast", "slow") // other drivers may round differently
	if n := digestSweep(t, c, func(c Cell) Verification { return Verification{Digest: fmt.Sprint(c.Total, c.Devices)} }); n != 0 {
		t.Errorf("%d wrong rows between different drivers", n)
	}
}

func TestInterrupt(t *testing.T) {
	cause := errors.New("stopped by the user")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := config(2)
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	launches := 0
	m := &machine{launch: func(Cell) error { launches++; return nil }}
	m.sample = func(_ Cell, n int) error {
		if launches == 3 && n == 4 {
			cancel(cause)
		}
		return ctx.Err()
	}
	k := &keeper{}
	s := Sweep{Machine: m, Observer: k, Pool: c.Pool, Preset: c.Preset, Now: m.now}
	if err := s.Run(ctx, cells); !errors.Is(err, cause) {
		t.Errorf("error %v, want the cause", err)
	}
	if len(k.trials) != 2 || m.open != 0 {
		t.Errorf("%d trials kept, %d sessions open; want 2 and 0", len(k.trials), m.open)
	}
}

func TestLostResultStopsTheSweep(t *testing.T) {
	full := errors.New("no space left on device")
	k := &keeper{after: func(n int) error {
		if n == 2 {
			return full
		}
		return nil
	}}
	if err := sweep(t, config(2), &machine{}, k); !errors.Is(err, full) || len(k.trials) != 2 {
		t.Errorf("error %v after %d trials", err, len(k.trials))
	}
}

func TestDeviceTimeAboveWall(t *testing.T) {
	for gpu, want := range map[float64]bool{0.9: false, 1.01: false, 1.5: true} {
		k := &keeper{}
		if err := sweep(t, config(2), &machine{gpu: gpu}, k); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, w := range k.trials[0].Warnings {
			found = found || w.Code == "gpu-above-wall"
		}
		if found != want {
			t.Errorf("device time %g of wall time: warned %v", gpu, found)
		}
	}
}

// A coarse clock of one device makes the samples of its teams longer, and trials hold
// what every device's clock tells apart.
func TestCoarseClocks(t *testing.T) {
	for _, c := range []struct {
		steps []float64
		least float64 // seconds of a sample
	}{{nil, 0}, {[]float64{1e-9, 50e-6}, 50e-3}, {[]float64{90e-6, 1e-6}, 90e-3}} {
		m, k := &machine{steps: c.steps}, &keeper{}
		if err := sweep(t, config(2), m, k); err != nil {
			t.Fatal(err)
		}
		for _, tr := range k.trials {
			if length := tr.Samples[0] * float64(tr.Reps); length < c.least || c.steps == nil && tr.Reps > 2 {
				t.Errorf("steps of %v s: %d repetitions, a sample of %g s", c.steps, tr.Reps, length)
			}
			if !slices.Equal(tr.Granularity, c.steps) {
				t.Errorf("granularity %v, want %v", tr.Granularity, c.steps)
			}
		}
	}
}

// Outputs without a reference are compared with those of other launches, before and
// after an interruption, and are not called verified for it.
func TestUncheckedIsNotVerified(t *testing.T) {
	unchecked := func(other bool) func(Cell) (Verification, error) {
		return func(c Cell) (Verification, error) {
			digest := "d"
			if other && c.Count == 2 {
				digest = "other"
			}
			return Verification{Digest: digest, Outcome: suites.Outcome{Class: "D0"}}, nil
		}
	}
	c := config(2)
	c.Modes = []string{Strong}
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	first := &keeper{}
	m := &machine{verify: unchecked(false)}
	s := Sweep{Machine: m, Observer: first, Pool: c.Pool, Preset: c.Preset, Now: m.now}
	if err := s.Run(t.Context(), cells[:4]); err != nil {
		t.Fatal(err)
	}
	for _, tr := range first.trials {
		if tr.Status != result.OK || tr.Verified || !tr.Unchecked() || len(tr.Samples) == 0 {
			t.Errorf("%s (%s), verified %v, unchecked %v", tr.Status, tr.Reason, tr.Verified, tr.Unchecked())
		}
	}
	m, k := &machine{verify: unchecked(true)}, &keeper{}
	s = Sweep{Machine: m, Observer: k, Pool: c.Pool, Preset: c.Preset, Now: m.now, Earlier: first.trials}
	if err := s.Run(t.Context(), cells[4:]); err != nil {
		t.Fatal(err)
	}
	for _, tr := range k.trials {
		if wrong := tr.Count == 2; wrong != (tr.Status == result.WrongResult) || tr.Verified {
			t.Errorf("%d GPU: %s (%s), verified %v", tr.Count, tr.Status, tr.Reason, tr.Verified)
		}
	}
}
