package result_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/result"
)

// without is a result of which times and spans of trials were left out.
func without(t *testing.T, path string) *result.Result {
	t.Helper()
	res, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range res.Trials {
		res.Trials[i].Times, res.Trials[i].Spans = result.Times{}, nil
	}
	return res
}

// ReadSamples reads all but times and spans, of every kind of result there is.
func TestReadSamples(t *testing.T) {
	paths, err := filepath.Glob("../testdata/*.json")
	if err != nil || len(paths) < 5 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		got, err := result.ReadSamples(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(without(t, path), got); d != "" {
			t.Errorf("%s: %s", path, d)
		}
	}
}

// A journal is folded with all that it holds, whoever reads first.
func TestReadSamplesFoldsAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	full, err := result.Read("../testdata/scaling.json")
	if err != nil {
		t.Fatal(err)
	}
	head := *full
	head.Trials = nil
	j, err := result.OpenJournal(path, &head)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range full.Trials[:3] {
		if err := j.Append(x); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	lean, err := result.ReadSamples(path)
	if err != nil || len(lean.Trials) != 3 || lean.Trials[0].Times.Len()+len(lean.Trials[0].Spans) > 0 {
		t.Fatal(err, len(lean.Trials))
	}
	if _, err := os.Stat(path + result.JournalSuffix); err == nil {
		t.Error("the journal was not folded")
	}
	res, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(full.Trials[:3], res.Trials); d != "" {
		t.Error(d)
	}
}
