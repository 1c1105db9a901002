package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/report/result"
)

// readHistory reads all results of a folder, by name. What cannot be read is named, all
// of it at once, with what is wrong and what to do.
func readHistory(dir string) (all []*result.Result, paths []string, err error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, usage("--history %s: there is no such folder; name the one in which the results of several occasions lie", dir)
	case err != nil:
		return nil, nil, usage("--history: %w", err)
	case !info.IsDir():
		return nil, nil, usage("--history %s is a file; name the folder in which the results of several occasions lie", dir)
	}
	if paths, err = resultsIn(dir); err != nil {
		return nil, nil, err
	}
	if len(paths) == 0 {
		return nil, nil, nothingIn(dir, "no result file (*.json)")
	}
	var bad []string
	for _, p := range paths {
		res, err := readForGate(p)
		if err != nil {
			bad = append(bad, err.Error())
			continue
		}
		all = append(all, res)
	}
	if len(bad) > 0 {
		return nil, nil, &exitError{code: codeUsage, err: fmt.Errorf("--history %s: %s cannot be read: %s", dir, plural(len(bad), "file", "files"), strings.Join(bad, "; ")),
			hint: "restore these files or move them out of the folder: a history reads every *.json in it"}
	}
	return all, paths, nil
}

func nothingIn(dir, what string) error {
	return &exitError{code: codeNothing, err: fmt.Errorf("--history %s: the folder holds %s", dir, what),
		hint: "collect the results of several occasions there: `amgpu scale ... -o " + filepath.Join(dir, "DATE.json") + "`"}
}

func noHistory(dir string) error {
	return nothingIn(dir, "results, but nothing was measured in any: none has a trial")
}

// historyOf searches the results in a folder for changes, and names the latest.
func historyOf(dir string) (h *gate.History, latest string, err error) {
	all, paths, err := readHistory(dir)
	if err != nil {
		return nil, "", err
	}
	if h, err = gate.Trace(all, gate.Options{}); err != nil {
		return nil, "", err
	}
	if h.Results == 0 {
		return nil, "", noHistory(dir)
	}
	return h, paths[latestOf(all)], nil
}

// latestOf is the index of the result made last, of those that hold trials.
func latestOf(all []*result.Result) int {
	best := -1
	for i, res := range all {
		if len(res.Trials) > 0 && (best < 0 || !res.Created.Before(all[best].Created)) {
			best = i
		}
	}
	return best
}

// writePage writes the trend with the report of the latest result into the file of
// --html, which must not be one of the inputs.
func (g *gateFlags) writePage(h *gate.History, all []*result.Result, paths []string) error {
	if g.html == "" {
		return nil
	}
	for _, p := range paths {
		if sameFile(p, g.html) {
			return usage("--html %s is an input: choose another file", g.html)
		}
	}
	var b bytes.Buffer
	i := latestOf(all)
	if _, err := report.Together([]report.Named{{Name: paths[i], Result: all[i]}}, "", &b, report.Options{History: h}); err != nil {
		return err
	}
	return writeOutput("--html", g.html, b.Bytes())
}
