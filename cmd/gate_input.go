package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// readForGate reads the samples of one result; the gate recomputes its summary, so none
// is made.
func readForGate(path string) (*result.Result, error) {
	return forGate(result.ReadSamples(path))
}

// forGate says what to name instead of what is not there.
func forGate(res *result.Result, err error) (*result.Result, error) {
	if err != nil && !is(err, result.ErrMalformed, result.ErrNewer) {
		return nil, usage("%w; name a result file that `amgpu scale` or `amgpu run` wrote", err)
	}
	return res, err
}

// readBaseline reads a result or all results of a folder, without the new one.
// A baseline that is not there is exit code 5.
func readBaseline(s streams, path, fresh string) ([]*result.Result, error) {
	missing := func(why string) error {
		return &exitError{code: codeNothing, err: fmt.Errorf("baseline %s: %s", path, why), hint: "store a result there first: `amgpu scale ... -o FILE`"}
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, journal := os.Stat(path + ".journal"); journal != nil {
			return nil, missing("does not exist")
		}
	} else if err != nil {
		return nil, usage("baseline: %w", err)
	}
	paths := []string{path}
	if info != nil && info.IsDir() {
		if paths, err = resultsIn(path); err != nil {
			return nil, err
		}
		paths = slices.DeleteFunc(paths, func(p string) bool {
			same := sameFile(p, fresh)
			if same {
				s.say("amgpu: %s is the new result: not part of the baseline", p)
			}
			return same
		})
		if len(paths) == 0 {
			return nil, missing("holds no result file")
		}
	}
	var out []*result.Result
	for _, p := range paths {
		res, err := readForGate(p)
		if err != nil {
			return nil, err
		}
		if len(res.Trials) == 0 {
			s.say("amgpu: warning: %s holds no trial: left out", p)
			continue
		}
		out = append(out, res)
	}
	if len(out) == 0 {
		return nil, missing("nothing was measured: it holds no trial")
	}
	return out, nil
}

// resultsIn lists the results of a folder by name: files *.json, and those of which a
// killed sweep left the journal only.
func resultsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, usage("%w", err)
	}
	var out []string
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".journal"); !e.IsDir() && filepath.Ext(name) == ".json" {
			out = append(out, filepath.Join(dir, name))
		}
	}
	return slices.Compact(out), nil // sorted: a journal follows its file
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
