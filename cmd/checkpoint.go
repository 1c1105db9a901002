package cmd

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/checkpoint"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/input"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/scale"
)

// checkpointFlags are those of run that save a long iteration and continue it.
type checkpointFlags struct {
	file  string
	every int64
}

func (c *checkpointFlags) add(f *pflag.FlagSet) {
	f.StringVar(&c.file, "checkpoint", "", "save the checked iteration of a long run in `FILE` while it goes on, and continue from there where the file exists")
	f.Int64Var(&c.every, "every", 100, "with --checkpoint: save after every `N` repetitions, such as steps of a training")
}

func badEvery(n int64) error { return usage("--every %d: use a number of repetitions above 0", n) }

// checkCheckpoint is what can be said before any device is looked at.
func (o *options) checkCheckpoint(given bool) error {
	c := o.checkpoint
	switch {
	case c.file == "" && given:
		return usage("--every says how often --checkpoint FILE is written: give that flag too")
	case c.file == "":
		return nil
	case c.every < 1:
		return badEvery(c.every)
	case o.resume != "":
		return usage("--checkpoint continues an iteration, --resume the launches of a result: give one of them")
	case o.launches > 1:
		return usage("--checkpoint keeps one launch: leave out --launches %d", o.launches)
	case o.division.Strategy.Dynamic:
		return usage("--checkpoint: --strategy %s runs nothing that changes its own inputs", o.division.Name())
	case !slices.Equal(o.residencies, scale.Residencies[:1]):
		return usage("--checkpoint: with --residency %s every iteration begins anew; use %s", o.residency, scale.Residencies[0])
	}
	for _, w := range o.workloads {
		if info := w.Info(); len(info.State) == 0 {
			return usage("--checkpoint: %s has no state that could be saved; these have: %s", info.ID, strings.Join(stateful(), ", "))
		}
	}
	o.launches = 1
	return nil
}

// stateful are the workloads that can be saved.
func stateful() (ids []string) {
	for _, w := range suites.All() {
		if info := w.Info(); len(info.State) > 0 {
			ids = append(ids, info.ID)
		}
	}
	return ids
}

// keeper is the file of --checkpoint and what it must say.
type keeper struct {
	checkpointFlags
	header  checkpoint.Header
	info    suites.Info
	program *program.Program
	most    int64 // bytes that such a file has at most
	say     func(format string, args ...any)
}

// keeper reads what is there and tries the place, before anything is measured.
func (m *measurement) keeper() (*keeper, error) {
	c := m.o.checkpoint
	if c.file == "" {
		return nil, nil
	}
	if m.job != nil {
		return nil, usage("--checkpoint: not in a job of several ranks, which hold parts of the state: use the devices of one process")
	}
	if len(m.cells) != 1 {
		return nil, usage("--checkpoint keeps one launch and these are %d: name one workload, one size and one device, or --team", len(m.cells))
	}
	cell := m.cells[0]
	p, err := cell.Item.Workload.Build(m.machine.build(cell))
	if err != nil {
		return nil, usage("--checkpoint: %w", err)
	}
	k := &keeper{checkpointFlags: c, info: cell.Item.Workload.Info(), program: p, say: m.s.say}
	if k.header, err = headerOf(cell, p, m.config); err != nil {
		return nil, usage("--checkpoint: %w", err)
	}
	if k.header.Of < 2 {
		return nil, usage("--checkpoint: with these parameters an iteration of %s has no repetitions between which it could be saved", k.info.ID)
	}
	k.most = 1 << 20
	for _, name := range k.info.State {
		if a, ok := p.Array(name); ok {
			k.most += 4 * a.Units * a.Stride
		}
	}
	if _, err := k.read(); err != nil {
		return nil, usage("--checkpoint %s: %w", k.file, err)
	}
	probe, err := os.CreateTemp(filepath.Dir(k.file), ".amgpu-*.tmp")
	if err != nil {
		return nil, usage("--checkpoint: cannot write %s: %w; name another place", k.file, report.Cause(err))
	}
	return k, errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// headerOf is what a state depends on. With equal bits for every count, the count is not
// part of it.
func headerOf(c scale.Cell, p *program.Program, config scale.Config) (checkpoint.Header, error) {
	run := map[string]string{"size": fmt.Sprint(c.Size.N), "seed": fmt.Sprint(config.Seed), "shaders": engine.ShadersOf(p)}
	for name, v := range c.Item.Params {
		run["parameter "+name] = fmt.Sprint(v)
	}
	for name, v := range map[string]string{"split": c.Item.Split, "algorithm": c.Item.Algorithm} {
		if v != "" {
			run[name] = v
		}
	}
	if p.CountDependent {
		run["number of devices"] = fmt.Sprint(c.Count)
	}
	if c.Item.Input != "" {
		sum, err := sumOf(c.Item.Input)
		if err != nil {
			return checkpoint.Header{}, err
		}
		run["input"] = fmt.Sprintf("sha256 %x", sum)
	}
	run["devices"] = kindsOf(config.Pool, c.Devices)
	return checkpoint.Header{Workload: c.Workload, Run: run, Of: engine.Repetitions(p)}, nil
}

// sumOf is the SHA-256 of a file, read a piece at a time: it may be larger than the memory.
func sumOf(path string) ([]byte, error) {
	f, err := input.Plain(path, "the file that was measured")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, fmt.Errorf("input %s: %w", path, input.Cause(err))
	}
	return h.Sum(nil), nil
}

// kindsOf are the different devices of a team: their drivers decide about the last bits.
func kindsOf(pool []result.Device, team []int) string {
	var kinds []string
	for _, at := range team {
		kinds = append(kinds, pool[at].Name+" with driver "+pool[at].Driver)
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), " and ")
}

// read is the state in the file; nil: there is no file.
func (k *keeper) read() (*checkpoint.State, error) {
	f, err := os.Open(k.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, report.Cause(err)
	}
	defer func() { _ = f.Close() }() // only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("not a regular file"))
	}
	content, err := io.ReadAll(io.LimitReader(f, k.most+1))
	if err != nil {
		return nil, report.Cause(err)
	}
	h, at, err := checkpoint.ReadHeader(content)
	if err != nil {
		return nil, fmt.Errorf("%w; move it away to begin anew", err)
	}
	if text := h.Differs(k.header); text != "" {
		return nil, fmt.Errorf("it is of another run: %s; give it the parameters that it was made with, or choose another file", text)
	}
	st, err := h.State(content, at)
	if err == nil {
		err = engine.FitsState(k.info, k.program, st)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; move it away to begin anew", err)
	}
	return &st, nil
}

// engine is what the engine is given for a launch; a launch after a failed one goes on from
// what that one saved.
func (k *keeper) engine() (*engine.Checkpoint, error) {
	if k == nil {
		return nil, nil
	}
	from, err := k.read()
	if err != nil {
		return nil, usage("--checkpoint %s: %w", k.file, err)
	}
	if from != nil {
		k.say("checkpoint %s: continued after %d of %d repetitions", k.file, from.Done, k.header.Of)
	}
	return &engine.Checkpoint{Every: k.every, From: from, Save: func(st checkpoint.State) error {
		content, err := checkpoint.Encode(k.header, st)
		if err != nil {
			return err
		}
		return writeOutput("--checkpoint", k.file, content)
	}}, nil
}

// left says what an interrupted command can go on from.
func (k *keeper) left() {
	if k == nil {
		return
	}
	if st, err := k.read(); err == nil && st != nil {
		k.say("amgpu: checkpoint %s holds %d of %d repetitions: the same command goes on from there", k.file, st.Done, k.header.Of)
	}
}
