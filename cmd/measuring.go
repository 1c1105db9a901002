package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/suites/tune"
	"github.com/amgpu/amgpu/vk"
)

// measurement is one run or scale command under way.
type measurement struct {
	o        *options
	s        streams
	rig      *rig
	machine  *machine
	job      *job // nil: this process is all
	adapters []*vk.Adapter
	devices  []result.Device // same order
	config   scale.Config
	cells    []scale.Cell
	header   *result.Result
	notes    []result.Warning
	watch    *watch
	roofs    *roofBook
	health   []result.Health
	resume   *resumption // nil: a sweep from its beginning
	tuned    *tune.Cache
	replayed bool            // constants are those of a stored plan
	searches []result.Tuning // made by this command
	noted    int             // how many notes are in the header
	unlock   func()          // nil: the devices are not locked yet
}

// measureAll is what run and scale do once their options are checked: pool,
// plan, locks, sweep, fold, render.
func measureAll(ctx context.Context, s streams, o *options) (err error) {
	if err := engine.CheckFault(); err != nil {
		return usage("%w", err)
	}
	m := &measurement{o: o, s: s, watch: newWatch(o), roofs: openRoofs(cacheDir())}
	defer m.watch.close()
	var problem error
	if m.rig, problem = o.openRig(); problem == nil {
		defer func() { err = errors.Join(err, m.rig.close()) }()
	}
	if m.job, m.adapters, m.devices, err = join(ctx, m.rig, o.poolFlags, problem, o.limits.silence); err != nil {
		if _, unreadable := result.Read(o.plan); o.plan != "" && unreadable != nil { // say this first
			return usage("--plan: %w", unreadable)
		}
		return err
	}
	if err := checkFault(m.rig, m.adapters, m.job); err != nil {
		return err
	}
	if !m.job.leads() {
		return m.follow(ctx)
	}
	defer func() {
		err = m.job.lostRank(err)
		m.job.leave(s)
	}()
	ctx, stop := m.job.until(ctx)
	defer stop()
	if err := m.inspect(ctx); err != nil {
		return err
	}
	if err := m.plan(); err != nil {
		return err
	}
	if err := m.checkPlannedFault(); err != nil {
		return err
	}
	path := o.output
	if path == "" {
		path = defaultOutput(time.Now())
	}
	defer leftover(unfinished(path))()
	if o.dir != "" {
		defer leftover(unfinished(filepath.Join(o.dir, "report")))()
	}
	if err := checkFolder(o.dir); err != nil {
		return err
	}
	trace, err := openTrace(o.trace, path)
	if err != nil {
		return err
	}
	defer m.release()
	if o.tune {
		m.job.announce(m.s)
		m.announce()
		if err := m.lock(ctx); err != nil {
			return err
		}
		if err := m.search(ctx); err != nil {
			return err
		}
	}
	if o.output == "" {
		path = defaultOutput(time.Now()) // another amgpu may have taken the first one meanwhile
	}
	before, err := os.Stat(path)
	held := err == nil && before.Size() > 0
	journal, err := result.OpenJournal(path, m.header)
	for tries := 0; o.output == "" && errors.Is(err, result.ErrBusy) && tries < 16; tries++ { // or in this moment
		path = defaultOutput(time.Now())
		journal, err = result.OpenJournal(path, m.header)
	}
	if err != nil {
		return err
	}
	defer keeping(path, o, len(m.header.Trials), len(m.header.Trials)+len(m.cells))()
	runErr := m.sweep(ctx, journal)
	late := validationMessages(m.rig.instance)
	var unmet []result.Warning
	res, foldErr := journal.Fold(func(res *result.Result) {
		unmet = unmetFault(m.rig, m.job)
		res.Warnings = append(append(res.Warnings, late...), unmet...)
		m.watch.fill(res)
		m.job.clockErrors(res.Job)
		res.Health = m.health
		if m.resume != nil {
			res.Health = m.resume.health(m.health)
		}
		if text := outText(res.Health); text != "" {
			if slices.ContainsFunc(m.devices, func(d result.Device) bool {
				return !slices.ContainsFunc(res.Health, func(h result.Health) bool { return h.Out && h.Device == d.Index })
			}) {
				text += "; the other devices did its work"
			}
			res.Warnings = append(res.Warnings, result.Warning{Code: "device-out", Text: text})
		}
		if m.config.SelfTest {
			noise, doubts := stat.SelfTest(res)
			res.Noise, res.Warnings = noise, append(res.Warnings, doubts...)
		}
		m.roofs.remember(res, res.Plan.Roof)
		estimateAfter(res)
		stat.Fill(res)
		m.forecast(res)
		m.roofs.note(res, res.Plan.Roof)
	})
	if foldErr != nil {
		what, next := keptText()
		return errors.Join(runErr, fmt.Errorf("%w; %s; once the cause is gone, %s", foldErr, what, next))
	}
	if len(res.Trials) == 0 {
		what := "%s holds the plan alone"
		if held {
			what = "what %s held before is left as it was"
		}
		s.say("amgpu: no launch was finished; "+what, path)
		m.machine.keep.left()
	} else {
		s.say("amgpu: result in %s", path)
		if _, next := keptText(); next != "" && is(runErr, errSignal, errTimeout, context.Canceled) {
			s.say("amgpu: %s", next)
		}
	}
	if text := roofless(res); text != "" {
		s.say("amgpu: %s", text)
	}
	for _, w := range unmet {
		s.say("amgpu: %s", w.Text)
	}
	return errors.Join(m.show(res), trace.write(res, s), outcome(res, runErr))
}

func command() []string {
	return append([]string{filepath.Base(os.Args[0])}, os.Args[1:]...)
}

// sweep locks the devices and measures the plan.
func (m *measurement) sweep(ctx context.Context, journal *result.Journal) (err error) {
	if !m.o.tune {
		m.job.announce(m.s)
		m.announce()
	}
	if len(m.cells) == 0 { // of a sweep that is complete
		return ctx.Err()
	}
	if err := m.lock(ctx); err != nil {
		return err
	}
	defer m.release()
	if err := m.watch.start(ctx, m); err != nil {
		return err
	}
	defer func() { m.watch.stop(ctx, m, err == nil) }()
	if m.o.roof == roofMeasured {
		if err := m.measureRoofs(ctx); err != nil {
			return err
		}
	}
	progress := &watcher{s: m.s, journal: journal, bar: newBar(m.s, len(m.cells), m.o.noProgress || m.o.asJSON)}
	defer progress.bar.close()
	sweep := scale.Sweep{Machine: m.machine, Observer: progress, Pool: m.config.Pool, Preset: m.config.Preset, Rest: m.watch.rest(), Recovery: m.o.limits.recovery}
	if m.resume != nil {
		sweep.Earlier = m.resume.res.Trials
	}
	sweep.Reported = m.watch.reported()
	sweep.Recovery.Unfit = m.watch.unfit(m.o.limits, m.config.Pool)
	err = sweep.Run(ctx, m.cells)
	m.health = sweep.Health()
	return err
}

// lock takes the devices for this command, once, and release gives them back.
func (m *measurement) lock(ctx context.Context) (err error) {
	if m.o.noLock || m.unlock != nil {
		return nil
	}
	if m.job != nil {
		m.unlock, err = m.job.lock(ctx, m.s, m.config.Pool)
		return err
	}
	m.unlock, err = lockDevices(ctx, m.s, m.config.Pool)
	return err
}

func (m *measurement) release() {
	if m.unlock != nil {
		m.unlock()
		m.unlock = nil
	}
}

// announce prints the pool, the seed and which devices make up each count.
func (m *measurement) announce() {
	for _, d := range m.config.Pool {
		note := ""
		if d.Software {
			note = " (software)"
		}
		m.s.say("device %d: %s%s, %s, uuid %s%s", d.Index, d.Name, note, d.Driver, d.UUID, prefixed(", pci ", d.PCI))
	}
	for _, count := range m.config.Counts {
		var sets []string
		for _, c := range m.cells {
			if text := strings.ReplaceAll(strings.Trim(fmt.Sprint(c.Devices), "[]"), " ", "+"); c.Count == count && !slices.Contains(sets, text) {
				sets = append(sets, text)
			}
		}
		slices.Sort(sets)
		m.s.say("%d GPU%s: devices %s", count, wholeText(m.config, count), strings.Join(sets, ", "))
	}
	if m.resume != nil {
		m.s.say("%s: %s measured, %d missing", m.resume.path, plural(len(m.resume.res.Trials), "launch", "launches"), len(m.cells))
	}
	m.s.say("%s of %s, preset %s, seed %d", plural(len(m.cells), "launch", "launches"), plural(len(m.config.Items), "workload", "workloads"), m.config.Preset.Name, m.config.Seed)
}

func plural(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// defaultOutput is a name in this folder that no earlier result has, nor one begun.
func defaultOutput(now time.Time) string {
	base := "amgpu-" + now.UTC().Format("20060102-150405")
	path := base + ".json"
	for n := 2; ; n++ {
		_, err := os.Lstat(path)
		_, journalErr := os.Lstat(path + ".journal")
		if errors.Is(err, os.ErrNotExist) && errors.Is(journalErr, os.ErrNotExist) {
			return path
		}
		path = fmt.Sprintf("%s-%d.json", base, n)
	}
}

// checkFolder makes the folder of --report, so that a wrong name is known
// before anything is measured.
func checkFolder(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usage("cannot create the folder for reports: %w; name another one", err)
	}
	probe, err := os.CreateTemp(dir, ".amgpu-*")
	if err != nil {
		return usage("cannot write into the folder for reports, %s: %w; name another one", dir, report.Cause(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
