package result_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/amgpu/amgpu/report/result"
)

// header is a result before measuring.
func header() *result.Result {
	h := sample()
	h.Trials, h.Summary, h.Laws, h.Warnings = nil, nil, nil, nil
	return h
}

func trial(launch int) result.Trial {
	t := sample().Trials[0]
	t.Launch = launch
	return t
}

func open(t *testing.T, path string) *result.Journal {
	t.Helper()
	j, err := result.OpenJournal(path, header())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func add(t *testing.T, j *result.Journal, launches ...int) {
	t.Helper()
	for _, l := range launches {
		if err := j.Append(trial(l)); err != nil {
			t.Fatal(err)
		}
	}
}

func launches(res *result.Result) string {
	var out []string
	for _, t := range res.Trials {
		out = append(out, fmt.Sprint(t.Launch))
	}
	return strings.Join(out, " ")
}

func hasWarning(res *result.Result, code string) bool {
	for _, w := range res.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

func TestJournalFold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	j := open(t, path)
	add(t, j, 1, 2)
	h := header()
	h.Warnings = []result.Warning{{Code: "late", Text: "said at the end"}}
	if err := j.SetHeader(h); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("the result exists before it is folded")
	}
	res, err := j.Fold(func(r *result.Result) { r.Fingerprint = "finished" })
	if err != nil {
		t.Fatal(err)
	}
	assertAlone(t, path)
	read, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(res, read, cmpopts.EquateEmpty()); d != "" {
		t.Error("folded against read:", d)
	}
	if launches(read) != "1 2" || !hasWarning(read, "late") || read.Fingerprint != "finished" {
		t.Errorf("trials %q, warnings %v", launches(read), read.Warnings)
	}
}

func TestReadFoldsLeftover(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	j := open(t, path)
	add(t, j, 1, 2)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path + ".journal")
	if err != nil {
		t.Fatal(err)
	}
	for cut := range 40 { // torn in the last line, at its end or just before it
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+".journal", raw[:len(raw)-cut], 0o644); err != nil {
			t.Fatal(err)
		}
		res, err := result.Read(path)
		if err != nil {
			t.Fatal(cut, err)
		}
		want := "1 2"
		if cut > 0 {
			want = "1"
		}
		if launches(res) != want || hasWarning(res, "journal-torn") != (cut > 0) {
			t.Errorf("cut %d: trials %q, warnings %v", cut, launches(res), res.Warnings)
		}
		assertAlone(t, path)
	}
}

func TestLiveJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	j := open(t, path)
	add(t, j, 1)
	if _, err := result.OpenJournal(path, header()); !errors.Is(err, result.ErrBusy) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("second writer: %v", err)
	}
	if _, err := result.Fold(path); !errors.Is(err, result.ErrBusy) {
		t.Errorf("fold: %v", err)
	}
	res, err := result.Read(path)
	if err != nil || launches(res) != "1" || !hasWarning(res, "still-measuring") {
		t.Errorf("reader: %v", err)
	}
	add(t, j, 2) // the reader must not have taken the journal away
	if res, err = j.Fold(); err != nil || launches(res) != "1 2" {
		t.Errorf("trials %q, %v", launches(res), err)
	}
}

func TestReadInMemoryWhereNothingCanBeWritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	add(t, open(t, path), 1)
	moved := filepath.Join(dir, "m.json")
	if err := os.Rename(path+".journal", moved+".journal"); err != nil {
		t.Fatal(err)
	}
	// A folder that is not empty in the result's place: nobody can rename over it.
	if err := os.MkdirAll(filepath.Join(moved, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	res, err := result.Read(moved)
	if err != nil || launches(res) != "1" {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(moved + ".journal"); err != nil {
		t.Error("the journal is gone although nothing was folded:", err)
	}
}

func TestReadReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	j := open(t, path)
	add(t, j, 1)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	res, err := result.Read(path)
	if err != nil || launches(res) != "1" {
		t.Errorf("%v", err)
	}
}

func TestDamagedJournal(t *testing.T) {
	for name, c := range map[string]struct {
		edit func([]byte) []byte
		want string // launches, or
		kind error
	}{
		"bad middle":       {func(b []byte) []byte { return bytes.Replace(b, []byte(`"launch":1`), []byte(`"launch":!`), 1) }, "2", nil},
		"impossible":       {func(b []byte) []byte { return bytes.Replace(b, []byte(`"count":2`), []byte(`"count":0`), 1) }, "2", nil},
		"binary":           {func([]byte) []byte { return []byte("\x00\x01\x02\n\x03\n") }, "", result.ErrMalformed},
		"no header":        {func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] }, "", result.ErrMalformed},
		"newer":            {func(b []byte) []byte { return bytes.Replace(b, []byte("amgpu/v1"), []byte("amgpu/v3"), 1) }, "", result.ErrNewer},
		"only half a head": {func(b []byte) []byte { return b[:20] }, "", os.ErrNotExist},
	} {
		path := filepath.Join(t.TempDir(), "r.json")
		j := open(t, path)
		add(t, j, 1, 2)
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(path + ".journal")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+".journal", c.edit(raw), 0o644); err != nil {
			t.Fatal(err)
		}
		res, err := result.Read(path)
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: error %v, want kind %v", name, err, c.kind)
		}
		if c.kind == nil && (launches(res) != c.want || !hasWarning(res, "journal-damaged")) {
			t.Errorf("%s: trials %q, warnings %v", name, launches(res), res.Warnings)
		}
		kept := path + ".journal"
		if errors.Is(c.kind, os.ErrNotExist) {
			kept += ".old"
		}
		if _, err := os.Stat(kept); err != nil {
			t.Errorf("%s: the journal was removed: %v", name, err)
		}
	}
}

// A journal that ends within its header is kept under another name, and whoever meets it
// says so: a reader with and without a result beside it, a fold and the next measurement.
func TestJournalCutInItsHeader(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	const text = `{"header":{"schema":"amgpu/v1","dev`
	cut := func() {
		if err := os.WriteFile(path+".journal", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept := func(name string) {
		if raw, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(raw) != text {
			t.Errorf("%s: %q, %v", name, raw, err)
		}
		if _, err := os.Stat(path + ".journal"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the journal lies there still: %v", err)
		}
	}
	const says = "ends within its first line, after 35 bytes: no launch can be read from it; it is kept as r.json.journal.old"
	cut()
	if _, err := result.Read(path); !errors.Is(err, os.ErrNotExist) || !strings.HasSuffix(err.Error(), says) {
		t.Errorf("a reader without a result: %v", err)
	}
	kept("r.json.journal.old")
	cut()
	plan := header()
	journal, err := result.OpenJournal(path, plan)
	if err != nil || !hasWarning(plan, result.KeptAside) {
		t.Fatalf("the next measurement: %v, %v", err, plan.Warnings)
	}
	add(t, journal, 1)
	res, err := journal.Fold()
	if err != nil || !hasWarning(res, result.KeptAside) {
		t.Errorf("%v", err)
	}
	kept("r.json.journal.old.2")
	for i, read := range []func(string, ...func(*result.Result)) (*result.Result, error){result.Read, result.Fold} {
		cut()
		if res, err = read(path); err != nil || launches(res) != "1" || !strings.HasSuffix(res.Warnings[len(res.Warnings)-1].Text, fmt.Sprintf("%s.%d", says, 3+i)) {
			t.Errorf("a reader beside a result: %v", err)
		}
		kept(fmt.Sprintf("r.json.journal.old.%d", 3+i))
	}
	// An empty one holds nothing to keep.
	if err := os.WriteFile(path+".journal", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := result.Read(path); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 {
		t.Errorf("%v %v", entries, err)
	}
}

func TestOpenJournalRefuses(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	mentions, newer := filepath.Join(t.TempDir(), "notes.json"), filepath.Join(t.TempDir(), "newer.json")
	for path, text := range map[string]string{mentions: `{"text": "\"amgpu/v1\"", "of": "amgpu/v1"}`, newer: `{"schema": "amgpu/v2"}`} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	loop, piped := filepath.Join(t.TempDir(), "loop.json"), filepath.Join(t.TempDir(), "piped.json")
	if err := errors.Join(os.Symlink("loop.json", loop), syscall.Mkfifo(piped+".journal", 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := result.Read(piped); !errors.Is(err, result.ErrMalformed) {
		t.Errorf("a pipe as journal: %v", err)
	}
	for path, says := range map[string]string{
		filepath.Join(dir, "no", "r.json"): "folder does not exist",
		dir:                                "not a plain file",
		os.DevNull:                         "not a plain file",
		source:                             "not an amgpu result",
		filepath.Join(source, "r.json"):    "not a directory",
		filepath.Join(dir, strings.Repeat("n", 250)+".json"): "file name too long",
		mentions: "not an amgpu result",
		newer:    "newer amgpu",
		loop:     "loop.json: too many levels of symbolic links",
		piped:    "not even a plain file",
	} {
		_, err := result.OpenJournal(path, header())
		if !errors.Is(err, result.ErrOutput) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if raw, _ := os.ReadFile(source); string(raw) != "package main\n" {
		t.Error("a file that is no result was changed")
	}
	assertAlone(t, source)
}

func TestOpenJournalFoldsWhatACrashLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	j := open(t, path)
	add(t, j, 1)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	next := open(t, path)
	if res, err := result.Read(path); err != nil || launches(res) != "" {
		t.Errorf("the new measurement starts with %v, %v", res, err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(raw, []byte(`"launch":1`)) {
		t.Errorf("the crashed one's trial was not kept: %v", err)
	}
	add(t, next, 9)
	if res, err := next.Fold(); err != nil || launches(res) != "9" {
		t.Errorf("%v", err)
	}
}

func TestNothingMeasuredReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	if err := result.Write(path, sample()); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	same := func(how string) {
		t.Helper()
		after, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the earlier result was changed: %v", how, err)
		}
		assertAlone(t, path)
	}
	if res, err := open(t, path).Fold(); err != nil || len(res.Trials) != 0 {
		t.Errorf("fold: %v", err)
	}
	same("fold")
	killed := func() {
		t.Helper()
		if err := open(t, path).Close(); err != nil {
			t.Fatal(err)
		}
	}
	killed()
	if res, err := result.Read(path); err != nil || len(res.Trials) != len(sample().Trials) {
		t.Errorf("read: %v", err)
	}
	same("read")
	killed()
	if _, err := open(t, path).Fold(); err != nil {
		t.Error(err)
	}
	same("the next measurement")
}

// TestMain lets the tests start themselves as a writer to be killed or starved.
func TestMain(m *testing.M) {
	if path := os.Getenv("AMGPU_TEST_WRITER"); path != "" {
		writeUntilStopped(path)
		return
	}
	os.Exit(m.Run())
}

func writeUntilStopped(path string) {
	if os.Getenv("AMGPU_TEST_FULL") != "" { // a disk that is full after 64 KiB
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: 1 << 16, Max: 1 << 16}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			fmt.Println("setrlimit:", err)
			return
		}
	}
	j, err := result.OpenJournal(path, header())
	for launch := 1; err == nil; launch++ {
		if err = j.Append(trial(launch)); err == nil {
			fmt.Println(launch)
		}
	}
	fmt.Println("stopped:", err)
}

func writer(t *testing.T, path string, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), append(env, "AMGPU_TEST_WRITER="+path)...)
	return c
}

func TestKillLosesAtMostTheTrialInFlight(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	c := writer(t, path)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	said := 0
	for said < 20 {
		if _, err := fmt.Fscanln(out, &said); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for { // what it said before it died
		var n int
		if _, err := fmt.Fscanln(out, &n); err != nil {
			break
		}
		said = n
	}
	_ = c.Wait() // killed
	res, err := result.Read(path)
	if err != nil || len(res.Trials) < said || len(res.Trials) > said+1 {
		t.Errorf("%d trials were reported as kept, %d are (%v)", said, len(res.Trials), err)
	}
	assertAlone(t, path)
}

func TestFullDiskKeepsWholeTrials(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	out, err := writer(t, path, "AMGPU_TEST_FULL=1").CombinedOutput()
	if err != nil {
		t.Fatal(err, string(out))
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	last := lines[len(lines)-1]
	if !strings.Contains(last, "stopped:") || !strings.Contains(last, "file too large") || !strings.Contains(last, "r.json.journal") {
		t.Errorf("last words %q", last)
	}
	res, err := result.Read(path)
	if err != nil || len(res.Trials) != len(lines)-1 || hasWarning(res, "journal-torn") {
		t.Errorf("%d trials kept of %d, %v", len(res.Trials), len(lines)-1, err)
	}
}

func FuzzJournal(f *testing.F) {
	path := filepath.Join(f.TempDir(), "r.json")
	j, err := result.OpenJournal(path, header())
	if err != nil {
		f.Fatal(err)
	}
	if err := errors.Join(j.Append(trial(1)), j.Append(trial(2)), j.Close()); err != nil {
		f.Fatal(err)
	}
	raw, err := os.ReadFile(path + ".journal")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte("{\"header\":null}\n"))
	f.Add([]byte("{\"header\":{\"schema\":\"amgpu/v1\"}}\n{\"trial\":{}}\n{"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "r.json")
		if err := os.WriteFile(path+".journal", raw, 0o644); err != nil {
			t.Fatal(err)
		}
		res, err := result.Read(path)
		switch {
		case err == nil && res == nil:
			t.Fatal("neither result nor error")
		case err != nil && !errors.Is(err, result.ErrMalformed) && !errors.Is(err, result.ErrNewer) && !errors.Is(err, os.ErrNotExist):
			t.Fatalf("unclassified error %v", err)
		}
	})
}

// BenchmarkAppend shows that a trial costs the same however many went before.
func BenchmarkAppend(b *testing.B) {
	for _, before := range []int{0, 5000} {
		b.Run(fmt.Sprint(before), func(b *testing.B) {
			h := header()
			h.Trials = big(before, 20).Trials
			j, err := result.OpenJournal(filepath.Join(b.TempDir(), "r.json"), h)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := j.Append(trial(1)); err != nil {
					b.Fatal(err)
				}
			}
			if err := j.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
