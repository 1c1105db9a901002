package stat

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/result"
)

// TestInvalidSamplesAreLeftOut: slow samples with a physical reason change no
// statistic; the same ones without a reason do (M12, M13).
func TestInvalidSamplesAreLeftOut(t *testing.T) {
	clean := team(phases{compute: [][]float64{{.5, .5}}}, .01)
	want := clean.row(t, "strong", 2)
	marked := team(phases{compute: [][]float64{{.5, .5}}}, .01)
	for i := range marked.res.Trials {
		tr := &marked.res.Trials[i]
		// One sample more in each launch, ten times as slow.
		slow := tr.Times.At(0)
		slow.Compute = append([]float64{}, slow.Compute...)
		scale(slow.Compute, 10)
		tr.Samples, tr.Times = append(tr.Samples, 10*tr.Samples[0]), result.TimesOf(append(tr.Times.List(), slow)...)
		tr.Invalid = []result.InvalidSample{{Index: len(tr.Samples) - 1, Reason: result.InvalidThrottled, Detail: "thermal"}}
	}
	got := marked.row(t, "strong", 2)
	counts := []result.InvalidCount{{Reason: result.InvalidThrottled, Count: 7}}
	if d := cmp.Diff(counts, got.Invalid); d != "" || got.Samples != want.Samples {
		t.Errorf("%s; %d samples, want %d", d, got.Samples, want.Samples)
	}
	if !hasCode(got.Warnings, "invalid-samples") || hasCode(want.Warnings, "invalid-samples") {
		t.Errorf("%v, and without any %v", got.Warnings, want.Warnings)
	}
	got.Invalid, got.Warnings, want.Warnings = nil, nil, nil
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("what is left out changes the row: %s", d)
	}
	for i := range marked.res.Trials {
		marked.res.Trials[i].Invalid = nil
	}
	kept := marked.row(t, "strong", 2)
	if kept.Samples != want.Samples+7 || kept.Invalid != nil || kept.Factors.Computation.Value == want.Factors.Computation.Value {
		t.Errorf("an outlier without a reason was removed: %+v", kept)
	}
}

func TestTooManyInvalid(t *testing.T) {
	tr := &result.Trial{Samples: make([]float64, 100)}
	for i := range tr.Samples {
		tr.Samples[i] = 1
	}
	mark := func(n int, reason string) {
		tr.Invalid = nil
		for i := range n {
			tr.Invalid = append(tr.Invalid, result.InvalidSample{Index: i, Reason: reason})
		}
	}
	if many, text := TooManyInvalid([]*result.Trial{tr}); many || text != "" {
		t.Errorf("%v %q", many, text)
	}
	mark(5, result.InvalidThrottled)
	if many, text := TooManyInvalid([]*result.Trial{tr}); many || text != "5 of 100 samples are invalid: 5 throttled" {
		t.Errorf("5 %%: %v %q", many, text)
	}
	mark(6, result.InvalidDevice)
	tr.Invalid = append(tr.Invalid, result.InvalidSample{Index: 0, Reason: result.InvalidThrottled}) // once is enough
	tr.Samples[99] = math.Inf(1)
	if many, text := TooManyInvalid([]*result.Trial{tr}); !many || text != "7 of 100 samples are invalid: 6 device-error, 1 no-duration" {
		t.Errorf("7 %%: %v %q", many, text)
	}
}

// TestAllSamplesInvalid: a row without a valid sample has no rate and says why.
func TestAllSamplesInvalid(t *testing.T) {
	for reason, status := range map[string]string{result.InvalidThrottled: result.Throttled, result.InvalidDevice: result.Skipped} {
		b := sweepOf(7)
		for i := range b.res.Trials {
			if b.res.Trials[i].Count == 4 {
				b.res.Trials[i].Void(reason, "")
			}
		}
		r := b.row(t, "strong", 4)
		if r.Status != status || r.Rate != nil || r.Efficiency != nil || !strings.Contains(r.Reason, "140 of 140 samples are invalid") {
			t.Errorf("%s: %+v", reason, r)
		}
		for _, row := range Rows(b.res) {
			if many, _ := TooManyInvalid(row.Trials); many != (row.Count == 4) || many && len(row.Times) > 0 {
				t.Errorf("%s, %d: %v, times %v", reason, row.Count, many, row.Times)
			}
		}
	}
}

// sweepOf is a strong sweep over 1 and 4 devices of so many launches.
func sweepOf(launches int) *bench {
	b := newBench("default", 1, 1, 1, 1)
	for block := range launches {
		b.add("strong", block, 1, 1000, block%4)
		b.add("strong", block, .26, 1000, 0, 1, 2, 3)
	}
	return b
}
