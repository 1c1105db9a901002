package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/result"
)

// writeOutput writes the file that a flag names, whole or not at all.
func writeOutput(flag, path string, content []byte) error {
	if err := report.WriteFile(path, content); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// spared refuses to put something else in the place of a result, which nothing brings back.
func spared(flag, path string) error {
	if path != "" && result.Holds(path) {
		return usage("%s %s: an amgpu result is there and would be lost: choose another file", flag, path)
	}
	return nil
}

// target is a file or folder that a command writes, and the flag that names it. An empty
// path is nothing.
type target struct{ flag, path string }

// apart refuses two outputs at one path and one inside the other, before any of them is
// made: the later would replace the earlier, or a folder lie where a file belongs.
func apart(targets ...target) error {
	for i, a := range targets {
		for _, b := range targets[:i] {
			if a.path == "" || b.path == "" {
				continue
			}
			if samePlace(a.path, b.path) {
				return usage("%s %s and %s %s are one path: name another one", b.flag, b.path, a.flag, a.path)
			}
		}
	}
	return nil
}

// samePlace tells whether two paths name one thing, which need not be there yet. Of a
// pipe or device both may be written to.
func samePlace(a, b string) bool {
	if info, err := os.Stat(a); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return false
	}
	return sameFile(a, b) || canonical(a) == canonical(b)
}

// canonical is a path without links and dots, as far as it is there.
func canonical(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	if target, err := filepath.EvalSymlinks(abs); err == nil {
		return target
	}
	if parent := filepath.Dir(abs); parent != abs {
		return filepath.Join(canonical(parent), filepath.Base(abs))
	}
	return abs
}

// outputs refuses outputs of a measurement that would replace each other or its inputs.
func (o *options) outputs() error {
	if o.output != "" && o.dir != "" && strings.HasPrefix(canonical(o.dir), canonical(o.output)+string(filepath.Separator)) {
		return usage("--report %s lies in -o %s, which is a file: name another folder", o.dir, o.output)
	}
	for _, out := range []target{{"-o", o.output}, {"--trace", o.trace}, {"--checkpoint", o.checkpoint.file}} {
		if out.path == "-" {
			return usage("%s -: - is no file here: --json prints the result; ./- is a file of that name", out.flag)
		}
	}
	journal := o.output
	if journal != "" {
		journal += ".journal"
	}
	written := []target{{"-o", o.output}, {"the journal", journal}, {"--trace", o.trace}, {"--checkpoint", o.checkpoint.file}, {"--report", o.dir}}
	if o.dir != "" {
		for _, name := range report.Files(o.formatList) {
			written = append(written, target{"--report", filepath.Join(o.dir, name)})
		}
	}
	if err := apart(written...); err != nil {
		return err
	}
	for _, in := range []target{{"--input", o.input}, {"--shader", o.shader}, {"--kernel", o.kernel}, {"--config", o.config}} {
		for _, out := range written {
			if in.path != "" && out.path != "" && samePlace(in.path, out.path) {
				return usage("%s %s is the file of %s: choose another one", out.flag, out.path, in.flag)
			}
		}
	}
	return nil
}
