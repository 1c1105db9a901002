package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/report/result"
)

// readHistory reads all results of some folders, by name, each file once. What cannot be
// read is named, all of it at once, with what is wrong and what to do.
func readHistory(dirs []string) (all []*result.Result, paths []string, err error) {
	for _, dir := range dirs {
		found, err := historyIn(dir)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range found {
			if !slices.ContainsFunc(paths, func(q string) bool { return sameFile(p, q) }) {
				paths = append(paths, p)
			}
		}
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
		return nil, nil, &exitError{code: codeUsage, err: fmt.Errorf("--history %s: %s cannot be read: %s", strings.Join(dirs, ", "), plural(len(bad), "file", "files"), strings.Join(bad, "; ")),
			hint: "restore these files or move them out of the folder: a history reads every *.json in it"}
	}
	return all, paths, nil
}

// historyIn lists the results of one folder, of which there must be some.
func historyIn(dir string) ([]string, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("--history %s: there is no such folder; name the one in which the results of several occasions lie", dir)
	case err != nil:
		return nil, usage("--history: %w", err)
	case !info.IsDir():
		return nil, usage("--history %s is a file; name the folder in which the results of several occasions lie", dir)
	}
	paths, err := resultsIn(dir)
	if err == nil && len(paths) == 0 {
		return nil, nothingIn([]string{dir}, "no result file (*.json)")
	}
	return paths, err
}

func nothingIn(dirs []string, what string) error {
	holds := "the folder holds"
	if len(dirs) > 1 {
		holds = "the folders hold"
	}
	return &exitError{code: codeNothing, err: fmt.Errorf("--history %s: %s %s", strings.Join(dirs, ", "), holds, what),
		hint: "collect the results of several occasions there: `amgpu scale ... -o " + filepath.Join(dirs[0], "DATE.json") + "`"}
}

func noHistory(dirs []string) error {
	return nothingIn(dirs, "results, but nothing was measured in any: none has a trial")
}

// historyOf searches the results in some folders for changes, and names the latest.
func historyOf(dirs []string) (h *gate.History, latest string, err error) {
	all, paths, err := readHistory(dirs)
	if err != nil {
		return nil, "", err
	}
	if h, err = gate.Trace(all, gate.Options{}); err != nil {
		return nil, "", err
	}
	if h.Results == 0 {
		return nil, "", noHistory(dirs)
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
	if err := spared("--html", g.html); err != nil {
		return err
	}
	var b bytes.Buffer
	path := paths[latestOf(all)]
	latest, err := result.Read(path) // all of it: a history reads the samples only
	if err != nil {
		return err
	}
	if _, err := report.Together([]report.Named{{Name: path, Result: latest}}, "", &b, report.Options{History: h}); err != nil {
		return err
	}
	return writeOutput("--html", g.html, b.Bytes())
}

// runHistory looks for change points and drifts; it is no gate and passes whatever it
// finds. Where there is too little to look at it does not: in no row (exit code 5), or,
// with --strict, in some (3).
func (g *gateFlags) runHistory(s streams, args []string, o gate.Options) error {
	if len(args) > 0 {
		return usage("--history %s looks at folders alone: leave out %s, or name a second folder with a --history of its own", strings.Join(g.history, ", "), strings.Join(args, " "))
	}
	all, paths, err := readHistory(g.history)
	if err != nil {
		return err
	}
	h, err := gate.Trace(all, o)
	if err != nil {
		return err
	}
	if h.Results == 0 {
		return noHistory(g.history)
	}
	if err := g.writePage(h, all, paths); err != nil {
		return err
	}
	raw, err := gate.RenderHistory(h, g.format)
	if err != nil {
		return err
	}
	if err := g.write(s, raw, paths...); err != nil {
		return err
	}
	return g.enough(s, h)
}

// enough complains about rows with too few results to tell whether they changed.
func (g *gateFlags) enough(s streams, h *gate.History) error {
	few := h.TooFew()
	text := fmt.Sprintf("--history: too few results to tell: %d of %s fewer than %d results, which a change of the level needs; a drift needs %d",
		few, plural(len(h.Rows), "row has", "rows have"), h.Needs.Change, h.Needs.Drift)
	refuse := func(code int) error {
		return &exitError{code: code, err: errors.New(text), hint: "collect more results of the same rows, such as one a night, and ask again"}
	}
	switch {
	case len(h.Rows) == 0:
		return &exitError{code: codeNothing, err: errors.New("--history: no row of any result has a time: nothing could be looked at"), hint: "`amgpu report FILE` says why its rows have none"}
	case few == len(h.Rows):
		return refuse(codeNothing)
	case few > 0 && g.strict:
		return refuse(codeInconclusive)
	case few > 0:
		s.say("amgpu: warning: %s; --strict makes that exit code 3", text)
	}
	return nil
}
