package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The last words say what is kept, where and how to go on, whatever was reached.
func TestLastWords(t *testing.T) {
	dir := t.TempDir()
	path, checkpoint := filepath.Join(dir, "r.json"), filepath.Join(dir, "m.ckpt")
	sweep, train := &options{}, &options{solo: true}
	train.checkpoint.file = checkpoint
	write := func(name string) {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	words := func(o *options, done, planned int, asJSON bool) string {
		defer keeping(path, o, done, planned)()
		keptOne()
		var b bytes.Buffer
		lastWords(&b, errSignal, asJSON)
		return strings.ReplaceAll(b.String(), dir+"/", "")
	}
	write(path + ".journal")
	const next = "hint: `amgpu scale --resume r.json` measures the others, `amgpu report r.json` shows these\n"
	for _, c := range []struct{ got, want string }{
		{words(sweep, 2, 8, false), "amgpu: interrupted: 3 of 8 launches are kept in r.json.journal\n" + next},
		{words(train, 2, 8, false), "amgpu: interrupted: 3 of 8 launches are kept in r.json.journal\n" + strings.Replace(next, "scale", "run", 1)},
		{words(sweep, 7, 8, false), "amgpu: interrupted: all 8 launches are kept in r.json.journal\nhint: `amgpu report r.json` shows them\n"},
		{words(sweep, -1, 8, false), "amgpu: interrupted: no launch was finished\nhint: start the command again\n"},
		{words(train, -1, 1, false), "amgpu: interrupted: no launch was finished\nhint: start the command again\n"},
		{words(sweep, 2, 8, true), `{"error":{"code":130,"text":"interrupted: 3 of 8 launches are kept in r.json.journal","hint":"` + strings.TrimSpace(strings.TrimPrefix(next, "hint: ")) + `"}}` + "\n"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	write(checkpoint)
	if got := words(train, -1, 1, false); got != "amgpu: interrupted: no launch was finished; checkpoint m.ckpt is kept\nhint: the same command goes on from there\n" {
		t.Errorf("%q", got)
	}
	if err := os.Remove(path + ".journal"); err != nil { // it has been folded
		t.Fatal(err)
	}
	if got := words(sweep, 2, 8, false); got != "amgpu: interrupted: 3 of 8 launches are kept in r.json\n"+next {
		t.Errorf("%q", got)
	}
	var b bytes.Buffer // nothing is being measured any more
	if lastWords(&b, fmt.Errorf("late: %w", errTimeout), false); b.String() != "amgpu: late: time-out\n" {
		t.Errorf("%q", b.String())
	}
}
