package result_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

// run is a complete result of two launches that start at a number.
func run(created time.Time, first int) *result.Result {
	r := sample()
	r.Created, r.Plan.Order, r.Warnings = created, make([]result.PlannedCell, 2), nil
	r.Trials = []result.Trial{trial(first), trial(first + 1)}
	return r
}

// journalOf leaves a journal of r with its first n launches, as a kill does.
func journalOf(t *testing.T, path string, r *result.Result, n int) {
	t.Helper()
	dir := t.TempDir()
	h := *r
	h.Trials, h.Summary, h.Laws = nil, nil, nil
	j, err := result.OpenJournal(filepath.Join(dir, "x.json"), &h)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Trials[:n] {
		if err := j.Append(x); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "x.json.journal"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".journal", raw, 0o644); err != nil {
		t.Fatal(err)
	}
}

func says(res *result.Result, code string) string {
	for _, w := range res.Warnings {
		if w.Code == code {
			return w.Text
		}
	}
	return ""
}

// TestJournalOfAnotherRunReplacesNothing: the later of two runs has the name, the
// other one is aside, and each says so; nothing is lost whichever is read first.
func TestJournalOfAnotherRunReplacesNothing(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		journal     time.Time
		shown, kept string
	}{
		"stale journal":      {noon.Add(-time.Hour), "1 2", "5"},
		"killed re-run":      {noon.Add(time.Hour), "5", "1 2"},
		"of the same second": {noon, "5", "1 2"},
	} {
		path := filepath.Join(t.TempDir(), "r.json")
		if err := result.Write(path, run(noon, 1)); err != nil {
			t.Fatal(err)
		}
		journalOf(t, path, run(c.journal, 5), 1)
		res, err := result.Read(path)
		if err != nil {
			t.Fatal(name, err)
		}
		if launches(res) != c.shown || !strings.Contains(says(res, result.KeptAside), "r.json.old") {
			t.Errorf("%s: read %q, %v", name, launches(res), res.Warnings)
		}
		old, err := result.Read(path + ".old")
		if err != nil || launches(old) != c.kept {
			t.Errorf("%s: aside lies %v, %v", name, old, err)
		}
		if again, err := result.Read(path); err != nil || launches(again) != c.shown {
			t.Errorf("%s: read again: %v", name, err)
		}
		// The name aside is taken now.
		journalOf(t, path, run(noon.Add(2*time.Hour), 8), 1)
		if res, err = result.Read(path); err != nil || launches(res) != "8" || !strings.Contains(says(res, result.KeptAside), "r.json.old.2") {
			t.Errorf("%s: second one: %v, %v", name, res.Warnings, err)
		}
		if old, err = result.Read(path + ".old.2"); err != nil || launches(old) != c.shown {
			t.Errorf("%s: second one aside: %v", name, err)
		}
	}
}

// TestCutShortRerunKeepsTheCompleteResult: of a run that was interrupted; one that
// reached its end replaces what it was told to.
func TestCutShortRerunKeepsTheCompleteResult(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	for n, old := range map[int]bool{1: true, 2: false} {
		path := filepath.Join(t.TempDir(), "r.json")
		if err := result.Write(path, run(noon, 1)); err != nil {
			t.Fatal(err)
		}
		next := run(noon.Add(time.Hour), 5)
		h := *next
		h.Trials = nil
		j, err := result.OpenJournal(path, &h)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range next.Trials[:n] {
			if err := j.Append(x); err != nil {
				t.Fatal(err)
			}
		}
		res, err := j.Fold()
		if err != nil || len(res.Trials) != n {
			t.Fatal(err)
		}
		if got := says(res, result.KeptAside) != ""; got != old {
			t.Errorf("%d of 2 launches: warnings %v", n, res.Warnings)
		}
		if kept, err := result.Read(path + ".old"); (err == nil) != old || old && launches(kept) != "1 2" {
			t.Errorf("%d of 2 launches: aside %v", n, err)
		}
	}
}

// TestContinuedRunReplacesItself: what was cut short and measured anew leaves no copy.
func TestContinuedRunReplacesItself(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "r.json")
	before := run(noon, 1)
	before.Trials[1].Stop = result.StopInterrupted
	if err := result.Write(path, before); err != nil {
		t.Fatal(err)
	}
	journalOf(t, path, run(noon, 1), 2)
	res, err := result.Read(path)
	if err != nil || len(res.Trials) != 2 || res.Trials[1].Stop != "" || says(res, result.KeptAside)+says(res, result.Interrupted) != "" {
		t.Errorf("%+v, %v", res, err)
	}
	assertAlone(t, path)
	// Another run of the same second measured the same launches: it is no continuation.
	other := run(noon, 1)
	for i := range other.Trials {
		other.Trials[i].Samples = []float64{0.02, 0.03}
	}
	journalOf(t, path, other, 2)
	if _, err := result.Read(path); err != nil {
		t.Error(err)
	}
	if old, err := result.Read(path + ".old"); err != nil || old.Trials[0].Samples[0] != 0.01 {
		t.Errorf("the first run is lost: %v", err)
	}
}

func TestFoldKeepsWhatIsNoResult(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	if err := os.WriteFile(path, []byte("my notes\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	journalOf(t, path, run(time.Now(), 5), 1)
	if res, err := result.Fold(path); err != nil || launches(res) != "5" {
		t.Error(err)
	}
	if raw, err := os.ReadFile(path + ".old"); err != nil || string(raw) != "my notes\n" {
		t.Errorf("%q, %v", raw, err)
	}
	newer := strings.Replace(string(encode(t, sample())), "amgpu/v1", "amgpu/v2", 1)
	if err := os.WriteFile(path, []byte(newer), 0o644); err != nil {
		t.Fatal(err)
	}
	journalOf(t, path, run(time.Now(), 7), 1)
	if _, err := result.Read(path); err == nil || !strings.Contains(err.Error(), "newer amgpu") {
		t.Errorf("a newer result: %v", err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != newer {
		t.Error("a newer result was changed:", err)
	}
}

// TestReadOnlyFolderShowsTheLaterRun: where nothing can be moved the later one is
// shown, and says what else lies there.
func TestReadOnlyFolderShowsTheLaterRun(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	for hours, want := range map[int]string{-1: "1 2", 1: "5"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "r.json")
		if err := result.Write(path, run(noon, 1)); err != nil {
			t.Fatal(err)
		}
		journalOf(t, path, run(noon.Add(time.Duration(hours)*time.Hour), 5), 1)
		before, _ := os.ReadFile(path)
		journal, _ := os.ReadFile(path + ".journal")
		// A damaged journal is never folded on disk, whoever reads it.
		if err := os.WriteFile(path+".journal", append(journal, "{\n"...), 0o644); err != nil {
			t.Fatal(err)
		}
		res, err := result.Read(path)
		if err != nil || launches(res) != want || says(res, result.KeptAside) == "" {
			t.Errorf("%d h: read %v, %v", hours, res, err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Error("changed:", err)
		}
	}
}

// TestInterruptedSaysSo: whichever way a run ended.
func TestInterruptedSaysSo(t *testing.T) {
	now := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "r.json")
	journalOf(t, path, run(now, 1), 1)
	live, err := result.Read(path)
	if err != nil || says(live, result.Interrupted) != "interrupted, 1 of 2 launches" {
		t.Errorf("killed: %v, %v", live, err)
	}
	if live, err = result.Read(path); err != nil || says(live, result.Interrupted) == "" {
		t.Errorf("read again: %v", err)
	}
	h := run(now, 1)
	h.Trials = nil
	j, err := result.OpenJournal(path, h)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(trial(1)); err != nil {
		t.Fatal(err)
	}
	if res, err := result.Read(path); err != nil || says(res, result.Interrupted) != "" || !strings.Contains(says(res, result.StillMeasuring), "1 of 2 launches") {
		t.Errorf("alive: %v, %v", res.Warnings, err)
	}
	cut := trial(2)
	cut.Stop = result.StopInterrupted
	if err := j.Append(cut); err != nil {
		t.Fatal(err)
	}
	res, err := j.Fold()
	if err != nil || says(res, result.Interrupted) != "interrupted, 2 of 2 launches, 1 of them cut short" {
		t.Errorf("stopped: %v, %v", res.Warnings, err)
	}
	done := run(now, 1)
	done.Warnings = []result.Warning{{Code: result.Interrupted, Text: "interrupted, 1 of 2 launches"}}
	if j, err = result.OpenJournal(path, done); err != nil {
		t.Fatal(err)
	}
	if res, err = j.Fold(); err != nil || says(res, result.Interrupted) != "" {
		t.Errorf("completed: %v, %v", res.Warnings, err)
	}
}

// TestRepeatedTrials: a launch counts once; two versions of it are refused.
func TestRepeatedTrials(t *testing.T) {
	r := run(time.Now(), 1)
	r.Trials = append(r.Trials, r.Trials[1])
	res, err := result.Decode(bytes.NewReader(encode(t, r)))
	if err != nil || launches(res) != "1 2" || says(res, "repeated-trials") == "" {
		t.Errorf("copies: %v, %v", res, err)
	}
	r.Trials[2].Samples = []float64{0.02, 0.03}
	if _, err := result.Decode(bytes.NewReader(encode(t, r))); err == nil || !strings.Contains(err.Error(), "launch 2, block 0 of linalg/matmul") {
		t.Errorf("two versions: %v", err)
	}
	path := filepath.Join(t.TempDir(), "r.json")
	journalOf(t, path, r, 3)
	if res, err = result.Read(path); err != nil || launches(res) != "1 2" || !strings.Contains(says(res, "journal-damaged"), "told twice") {
		t.Errorf("journal: %v, %v", res, err)
	}
	r.Trials[2] = r.Trials[1]
	path = filepath.Join(t.TempDir(), "r.json")
	journalOf(t, path, r, 3)
	if res, err = result.Read(path); err != nil || launches(res) != "1 2" || says(res, "repeated-trials") == "" {
		t.Errorf("journal with copies: %v, %v", res, err)
	}
}

// TestReadWaitsForNoPipe: what is no plain file is refused, never waited for.
func TestReadWaitsForNoPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "r.json")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, why := range map[string]string{pipe: "is a pipe", os.DevNull: "is a device", "/dev/zero": "is a device", "/": "is a folder"} {
		if _, err := result.Read(path); err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
