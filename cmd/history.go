package cmd

import (
	"bytes"
	"fmt"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/report/result"
)

// readHistory reads all results of a folder, by name.
func readHistory(dir string) (all []*result.Result, paths []string, err error) {
	if paths, err = resultsIn(dir); err != nil {
		return nil, nil, err
	}
	for _, p := range paths {
		res, err := readForGate(p)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, res)
	}
	return all, paths, nil
}

func noHistory(dir string) error {
	return &exitError{code: codeNothing, err: fmt.Errorf("%s holds no result with trials", dir), hint: "collect the results of several occasions there"}
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
