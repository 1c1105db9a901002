package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/result"
)

// traceFile is where --trace writes: a temporary file beside the one named, made
// before anything is measured, so that a wrong name is known then and an earlier
// timeline stays until there is a new one.
type traceFile struct {
	path string
	temp *os.File
	gone func() // the temporary file is in place or removed
}

// openTrace makes the file; it is nil for an empty path. avoid is the result file.
func openTrace(path, avoid string) (*traceFile, error) {
	if path == "" {
		return nil, nil
	}
	if samePlace(path, avoid) { // a name that was not given
		return nil, usage("--trace %s: the result goes there; name another file", path)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, usage("--trace %s: not an ordinary file; name one", path)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".amgpu-*.tmp")
	if err != nil {
		return nil, usage("--trace %s: cannot write there: %w", path, report.Cause(err))
	}
	return &traceFile{path, temp, leftover(temp.Name())}, nil
}

// write puts the timeline of res in place, if anything was measured.
func (t *traceFile) write(res *result.Result, s streams) error {
	if t == nil || len(res.Trials) == 0 {
		return nil
	}
	if _, err := report.Render(res, []string{"trace"}, "", t.temp); err != nil {
		return t.failed(err)
	}
	err := errors.Join(t.temp.Chmod(0o644), t.temp.Close()) // CreateTemp makes it private
	if err == nil {
		err = os.Rename(t.temp.Name(), t.path)
	}
	if err != nil {
		return t.failed(err)
	}
	s.say("amgpu: timeline in %s, for https://ui.perfetto.dev", t.path)
	return nil
}

// failed names the file that was asked for, not the temporary one.
func (t *traceFile) failed(err error) error {
	return fmt.Errorf("--trace %s: not written: %w", t.path, report.Cause(err))
}

// discard removes the temporary file if it was not put in place.
func (t *traceFile) discard() error {
	if t == nil {
		return nil
	}
	defer t.gone()
	if err := t.temp.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	if err := os.Remove(t.temp.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
