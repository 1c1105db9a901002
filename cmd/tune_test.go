package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/amgpu/amgpu/suites/tune"
)

// entryFile is the one entry in a folder of tuned constants.
func entryFile(ts *testscript.TestScript, dir string) string {
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(dir), "*.json"))
	ts.Check(err)
	if len(files) != 1 {
		ts.Fatalf("%d entries in %s", len(files), dir)
	}
	return files[0]
}

// winner DIR NAME=VALUE..: the search that is kept in a folder found these constants.
func winner(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: winner DIR NAME=VALUE..")
	}
	raw, err := os.ReadFile(entryFile(ts, args[0]))
	ts.Check(err)
	var file struct{ Entry tune.Entry }
	ts.Check(json.Unmarshal(raw, &file))
	file.Entry.Constants, err = parseParams(args[1:])
	ts.Check(err)
	file.Entry.WinShaders = file.Entry.Shaders
	ts.Check(tune.OpenCache(ts.MkAbs(args[0])).Put(file.Entry))
}

// damage DIR: one byte in the middle of the entry in a folder is another.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage DIR")
	}
	path := entryFile(ts, args[0])
	raw, err := os.ReadFile(path)
	ts.Check(err)
	raw[len(raw)/2] ^= 1
	ts.Check(os.WriteFile(path, raw, 0o600))
}
