package cmd

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/report/result"
)

// keptLaunches are the launches of a confirmation, in one result file per side
// beside the new result. Their names do not end in .json, so that a folder of
// results does not take them for occasions.
type keptLaunches struct {
	paths   [2]string
	results [2]*result.Result // nil: none yet
	about   result.Warning    // which comparison they belong to
}

// confirms is the code of the note that ties a file to a comparison.
const confirms = "confirms"

// openKept reads what an earlier confirmation of the same two results measured.
func openKept(path string, base, fresh *result.Result) (*keptLaunches, error) {
	k := &keptLaunches{paths: [2]string{path + ".confirm-base", path + ".confirm-new"}}
	sum := sha256.New()
	for _, res := range []*result.Result{base, fresh} {
		if err := result.Encode(sum, res); err != nil {
			return nil, err
		}
	}
	k.about = result.Warning{Code: confirms, Text: fmt.Sprintf("launches in turns for the comparison %.16x", sum.Sum(nil))}
	for i, p := range k.paths {
		res, err := result.Read(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, usage("%w", err)
		}
		if !slices.Contains(res.Warnings, k.about) {
			return nil, usage("%s belongs to the confirmation of other results: remove it to confirm these", p)
		}
		k.results[i] = res
	}
	return k, nil
}

// writable is known before anything is measured.
func (k *keptLaunches) writable() error {
	f, err := os.CreateTemp(filepath.Dir(k.paths[0]), ".amgpu-*")
	if err != nil {
		return usage("--confirm keeps its launches beside the new result: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// add appends the trials of one run and writes the file of the side.
func (k *keptLaunches) add(i int, res *result.Result) error {
	if k.results[i] == nil {
		first := *res
		first.Trials, first.Warnings = nil, append([]result.Warning{k.about}, res.Warnings...)
		first.Plan.Order, first.Summary, first.Laws = nil, nil, nil
		k.results[i] = &first
	}
	to := k.results[i]
	to.Trials = append(to.Trials, res.Trials...)
	to.Plan.Order = append(to.Plan.Order, res.Plan.Order...)
	return result.Write(k.paths[i], to)
}

// missing are the cells that the side has no trial of.
func (k *keptLaunches) missing(i int, cells []result.PlannedCell) []result.PlannedCell {
	if k.results[i] == nil {
		return cells
	}
	return slices.DeleteFunc(slices.Clone(cells), func(c result.PlannedCell) bool {
		return slices.ContainsFunc(k.results[i].Trials, func(t result.Trial) bool {
			return t.Key == c.Key && t.Count == c.Count && t.Block == c.Block && slices.Equal(t.Devices, c.Devices)
		})
	})
}

// until are the launches of the first blocks; nil where either side has none.
func (k *keptLaunches) until(blocks int) *gate.Alternated {
	var out [2]*result.Result
	for i, res := range k.results {
		if res == nil {
			return nil
		}
		part := *res
		part.Trials = slices.DeleteFunc(slices.Clone(res.Trials), func(t result.Trial) bool { return t.Block >= blocks })
		if len(part.Trials) == 0 {
			return nil
		}
		out[i] = &part
	}
	return &gate.Alternated{Base: out[0], New: out[1]}
}

// launches counts what is kept.
func (k *keptLaunches) launches() int {
	n := 0
	for _, res := range k.results {
		if res != nil {
			n += len(res.Trials)
		}
	}
	return n
}
