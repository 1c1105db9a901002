package scripts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The end of go test's own time while an input runs is no finding; an input that fails,
// one that hangs and a target that does not build are.
func TestFuzzScript(t *testing.T) {
	const raced = "fuzz: elapsed: 1m0s, execs: 9 (0/sec)\n--- FAIL: FuzzA (60.15s)\n    context deadline exceeded\nFAIL\n"
	for name, c := range map[string]struct {
		out  string // of go test for the first of two targets
		code int
		want int
	}{
		"passes":                  {"PASS\n", 0, 0},
		"races":                   {raced, 1, 0},
		"input fails":             {"--- FAIL: FuzzA (3s)\n    --- FAIL: FuzzA (0.00s)\n        a_test.go:9: no\n    Failing input written to testdata/fuzz/FuzzA/1\n", 1, 1},
		"input fails by deadline": {"--- FAIL: FuzzA (3s)\n    --- FAIL: FuzzA (0.00s)\n        a_test.go:9: no\n    context deadline exceeded\n", 1, 1},
		"hangs":                   {"--- FAIL: FuzzA (60s)\n    fuzzing process hung or terminated unexpectedly: exit status 2\n    context deadline exceeded\n", 1, 1},
		"does not build":          {"a_test.go:3:1: syntax error\nFAIL a [build failed]\n", 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJob(t)
			if err := os.Symlink(filepath.Join(repository(t), "scripts"), filepath.Join(j.dir, "scripts")); err != nil {
				t.Fatal(err)
			}
			write := func(file, text string, mode os.FileMode) {
				path := filepath.Join(j.dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), mode); err != nil {
					t.Fatal(err)
				}
			}
			write("a/a_test.go", "package a\n\nfunc FuzzA(f *testing.F) {}\n", 0o600)
			write("b/b_test.go", "package b\n\nfunc FuzzB(f *testing.F) {}\n", 0o600)
			write("said", c.out, 0o600)
			write("go", "#!/bin/sh\ncase \"$*\" in *FuzzA*) cat said; exit "+fmt.Sprint(c.code)+";; esac\necho fuzzed $*\n", 0o700)
			code, out := j.bash(t, "FUZZTIME=7s PARALLEL=1 GO=./go scripts/fuzz.sh")
			if code != c.want || !strings.Contains(out, c.out) {
				t.Fatalf("exit %d, want %d:\n%s", code, c.want, out)
			}
			both := strings.Contains(out, "fuzz: 2 targets passed") && strings.Contains(out, "-fuzz ^FuzzB$ -fuzztime 7s -fuzzminimizetime 10x -parallel 1 ./b")
			if both != (code == 0) {
				t.Errorf("exit %d:\n%s", code, out)
			}
			if told := strings.Contains(out, "issue/75804"); told != (name == "races") {
				t.Errorf("told of the race: %v:\n%s", told, out)
			}
		})
	}
}
