package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/result"
)

// traceFile is where --trace writes. Whether it can is known before anything is measured; an
// earlier timeline stays until there is a new one, and while measuring nothing lies beside it
// that a kill would leave.
type traceFile struct{ path string }

// openTrace checks the place of the file; it is nil for an empty path. avoid is the result file.
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
	if err := spared("--trace", path); err != nil {
		return nil, err
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".amgpu-*.tmp")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return nil, usage("--trace %s: cannot write there: %w", path, report.Cause(err))
	}
	return &traceFile{path}, nil
}

// write puts the timeline of res in place, if anything was measured.
func (t *traceFile) write(res *result.Result, s streams) error {
	if t == nil || len(res.Trials) == 0 {
		return nil
	}
	defer leftover(unfinished(t.path))()
	temp, err := result.CreateTemp(filepath.Dir(t.path))
	if err != nil {
		return t.failed(err)
	}
	_, err = report.Render(res, []string{"trace"}, "", temp)
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), t.path)
	}
	if err != nil {
		return errors.Join(t.failed(err), os.Remove(temp.Name()))
	}
	s.say("amgpu: timeline in %s, for https://ui.perfetto.dev", t.path)
	return nil
}

// failed names the file that was asked for, not the temporary one.
func (t *traceFile) failed(err error) error {
	return fmt.Errorf("--trace %s: not written: %w; `amgpu report RESULT --format trace` writes it once the cause is gone", t.path, report.Cause(err))
}
