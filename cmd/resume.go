package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/suites/measure"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk/soft"
)

// resumption is an interrupted sweep that this command completes.
type resumption struct {
	path  string
	res   *result.Result // with the trials that stay
	again []result.Trial // those measured anew
	asked []string       // flags, and workloads, that say what is measured: as the file does
}

// resumed reads the file of --resume for run or scale; nil without that flag. Flags that plan
// a sweep may stand beside it, when the file's plan says the same. The workloads are those
// named, else those of the file.
func (m *measureFlags) resumed(command string, f *pflag.FlagSet, workloads []string) (*resumption, []string, error) {
	if m.resume == "" {
		return nil, workloads, nil
	}
	for _, name := range []string{"plan", "output"} {
		if f.Changed(name) && f.Lookup(name).Value.String() != m.resume {
			return nil, nil, usage("--resume continues %s itself: leave out --%s", m.resume, name)
		}
	}
	res, err := result.Read(m.resume, stat.Fill)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nothingToResume(command, m.resume, err)
	}
	if err != nil {
		return nil, nil, usage("--resume: %w", err)
	}
	if by := measuredBy(res); by != command {
		return nil, nil, &exitError{code: codeUsage, err: fmt.Errorf("--resume: %s is a result of `amgpu %s`, and this is `amgpu %s`", m.resume, by, command),
			hint: fmt.Sprintf("`amgpu %s --resume %s` goes on with it", by, m.resume)}
	}
	if have := tool(); res.Tool.Version != have.Version || res.Tool.Commit != have.Commit {
		return nil, nil, usage("--resume: %s was measured with amgpu %s and this is %s: rows of two programs do not belong into one result; use that one, or measure anew", m.resume, versionOf(res.Tool), versionOf(have))
	}
	r := &resumption{path: m.resume, res: res}
	for _, name := range fixedByPlan {
		if f.Lookup(name) != nil && f.Changed(name) {
			r.asked = append(r.asked, name)
		}
	}
	if len(workloads) > 0 {
		r.asked = append(r.asked, "workloads")
	} else if res.Plan.Shader == "" {
		for _, c := range res.Plan.Order {
			if !slices.Contains(workloads, c.Workload) {
				workloads = append(workloads, c.Workload)
			}
		}
	}
	if len(m.devices)+len(m.exclude)+m.max == 0 && m.software == "" && !m.allowCPU {
		m.poolOf(res.Devices)
	}
	m.output = m.resume
	return r, workloads, nil
}

// nothingToResume is what is said of a file that is not there: the command ended before its
// first launch, or it is another name.
func nothingToResume(command, path string, err error) error {
	return &exitError{code: codeUsage, err: fmt.Errorf("--resume: there is nothing to resume: no result and no journal with a plan is there: %w", err),
		hint: fmt.Sprintf("begin the sweep with `amgpu %s .. -o %s`, or name another file", command, path)}
}

// measuredBy is the command that a result comes from: run or scale.
func measuredBy(res *result.Result) string {
	for _, word := range res.Command[min(1, len(res.Command)):] {
		if word == "run" || word == "scale" {
			return word
		}
	}
	if slices.Contains(res.Plan.Modes, scale.Solo) {
		return "run"
	}
	return "scale"
}

func versionOf(t result.Tool) string {
	return strings.TrimSpace(t.Version + " " + t.Commit)
}

// poolOf chooses the devices that a result was measured on.
func (m *measureFlags) poolOf(devices []result.Device) {
	var s soft.Spec
	for _, d := range devices {
		switch {
		case !d.Software:
			m.devices = append(m.devices, d.UUID)
		case strings.Contains(d.Name, "SwiftShader"):
			s.SwiftShader++
		default:
			s.Lavapipe++
		}
	}
	if s.Devices() == len(devices) && s.Devices() > 0 {
		m.software = s.String()
	}
}

// continued takes the sweep from an interrupted one, on the devices of the present
// pool, and leaves out what is measured already.
func (m *measurement) continued(r *resumption, pool []result.Device, software bool) error {
	if text := otherDevices(r.res, pool); text != "" {
		return usage("--resume: %s was measured on %s; %s", r.path, planDevices(r.res.Devices), text)
	}
	if m.o.shader == "" && r.res.Plan.Shader != "" {
		return usage("--resume: %s measures a kernel of your own: give it again with --shader and --kernel", r.path)
	}
	if len(r.asked) > 0 {
		if err := m.sweepPlan(pool, software); err != nil {
			return err
		}
		mine := m.planned()
		differ := slices.Concat(otherPlan(r.res.Plan, mine, r.asked), otherParams(r.res.Plan.Params, mine.Params, m.o.paramList), m.otherConstants(r.res.Plan))
		if len(differ) > 0 {
			return &exitError{code: codeUsage, err: fmt.Errorf("--resume: the plan of %s is another one: %s", r.path, strings.Join(differ, "; ")),
				hint: "leave out the workloads and these flags, since the file brings its plan, or measure into another file with -o in place of --resume"}
		}
	}
	if err := m.stored("--resume "+r.path, r.res.Plan, pool, software); err != nil {
		return err
	}
	r.keep()
	m.cells = r.missing(m.cells)
	m.resume = r
	if len(m.cells) == 0 {
		return &exitError{code: 0, err: fmt.Errorf("nothing is missing in %s: it is left as it is", r.path)}
	}
	return nil
}

// otherDevices says why a pool is not the one of a result; empty: it is.
func otherDevices(res *result.Result, pool []result.Device) string {
	if have := fingerprint(pool); have != res.Fingerprint {
		return "here it would be " + planDevices(pool)
	}
	for i, d := range res.Devices {
		if p := pool[i]; !d.Software && (d.UUID != p.UUID || d.PCI != p.PCI) {
			return fmt.Sprintf("device %d is another card now: %s at %s, it was %s at %s", i, p.UUID, p.PCI, d.UUID, d.PCI)
		}
	}
	return ""
}

// keep drops the trials that are measured again: cut short, or failed by a device.
func (r *resumption) keep() {
	unfinished := func(t result.Trial) bool {
		return t.Stop == measure.StopInterrupted || t.Status == result.DeviceLost || t.Status == result.Degraded ||
			slices.ContainsFunc(t.Warnings, func(w result.Warning) bool { return w.Code == scale.InternalFailure })
	}
	var kept []result.Trial
	for _, t := range r.res.Trials {
		if unfinished(t) {
			r.again = append(r.again, t)
		} else {
			kept = append(kept, t)
		}
	}
	r.res.Trials = kept
}

// missing are the cells without a trial.
func (r *resumption) missing(cells []scale.Cell) []scale.Cell {
	done := map[string]bool{}
	for i := range r.res.Trials {
		t := &r.res.Trials[i]
		done[launchName(t.Key, t.Count, t.Launch, t.Side)] = true
	}
	return slices.DeleteFunc(slices.Clone(cells), func(c scale.Cell) bool {
		return done[launchName(c.Key, c.Count, c.Launch, c.Side)]
	})
}

func launchName(k result.Key, count, launch int, side string) string {
	return fmt.Sprint(k, count, launch, side)
}

// header is what the journal of a continued sweep begins with: the result so far.
func (r *resumption) header(missing int, notes []result.Warning) *result.Result {
	h := *r.res
	h.Warnings = slices.DeleteFunc(slices.Clone(h.Warnings), func(w result.Warning) bool { return w.Code == "still-measuring" || w.Code == "device-out" })
	text := fmt.Sprintf("the sweep was interrupted after %s and completed from %s on: %s", plural(len(h.Trials), "launch", "launches"), time.Now().UTC().Format(time.RFC3339), plural(missing, "launch", "launches"))
	if len(r.again) > 0 {
		first := r.again[0]
		text += fmt.Sprintf(", of which %d were measured before (first: %s, %s, %d GPU: %s)", len(r.again), first.Workload, first.Mode, first.Count, strings.TrimSuffix(first.Status+", "+first.Reason, ", "))
	}
	h.Warnings = append(append(h.Warnings, result.Warning{Code: "resumed", Text: text}), notes...)
	return &h
}

// health joins what was known of the devices with what this part of the sweep found.
func (r *resumption) health(now []result.Health) []result.Health {
	out := slices.Clone(now)
	for _, h := range r.res.Health {
		i := slices.IndexFunc(out, func(x result.Health) bool { return x.Device == h.Device })
		if i < 0 {
			h.Out = false // it was given another chance, and took it
			out = append(out, h)
			continue
		}
		out[i].Errors += h.Errors
		out[i].Xids += h.Xids
	}
	slices.SortFunc(out, func(a, b result.Health) int { return a.Device - b.Device })
	return out
}
