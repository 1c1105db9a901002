package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/report/result"
)

type gateFlags struct {
	threshold, rules, across, format, output, html string
	strict, allowMissing, asJSON, confirm          bool
	baseBinary, newBinary, timeout                 string
	history                                        []string
}

func gateCommand(s streams) *cobra.Command {
	var g gateFlags
	c := &cobra.Command{
		Use:   "gate BASE NEW",
		Short: "Compare two results, or one with rules: a verdict per row and an exit code",
		Long: `Compares the result NEW with the baseline BASE, a result file or a folder of
them. A folder holds several occasions, which is the honest baseline: one old file
cannot show how much two occasions differ by themselves. Every row gets a verdict
with its effect, interval and reason: regressed and improved are significant over
all rows together and larger than the threshold, same is proved to lie within
it, everything else is inconclusive. All of it is recomputed from the samples.

With --rules also limits are checked, and then BASE may be left out, and NEW may be
a folder whose results are judged together. With --history DIR the results of a
folder, or of several, are searched for changes over time.

With --confirm the suspicious rows (regressed, or undecided for want of launches)
are measured again: the builds that measured BASE and NEW run in turns, three more
launches of each row on either side, at most twice. A change stays only if these
launches show it too. They are kept beside NEW, in NEW.confirm-base and
NEW.confirm-new; with these files --confirm alone decides as before.

` + exitCodes,
		Example: `  amgpu gate base.json new.json --threshold 5%
  amgpu gate baselines/ new.json --rules gate.yaml --strict
  amgpu gate new.json --rules limits.yaml
  amgpu gate measured/ --rules targets.yaml --format targets -o targets.md
  amgpu gate old-driver.json new-driver.json --across driver --format md
  amgpu gate base.json new.json --confirm --base-binary ./amgpu-old --new-binary ./amgpu
  amgpu gate --history results/
  amgpu gate --history 2025/ --history 2026/`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 2 {
				return errors.New("name a baseline and a new result, no more")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return g.run(c.Context(), s, args) },
	}
	f := c.Flags()
	onceVar(f, &g.threshold, "threshold", "", "`SHARE` of the time that matters, such as 5% (default: the rules', else 5%); at least twice the noise floor")
	onceVar(f, &g.rules, "rules", "", "YAML `FILE` with thresholds, limits and required rows")
	onceVar(f, &g.across, "across", "", "compare across `FIELD` on purpose: "+strings.Join(gate.Fields(), ", "))
	f.BoolVar(&g.strict, "strict", false, "inconclusive rows fail: exit code 3")
	f.BoolVar(&g.allowMissing, "allow-missing", false, "rows that only one side has do not fail, unless the rules require them")
	onceVar(f, &g.format, "format", "", "one of: "+strings.Join(gate.Formats(), ", ")+" (default text)")
	f.BoolVar(&g.asJSON, "json", false, "print JSON (short for --format json)")
	onceVar(f, &g.output, "output", "o", "write to `FILE` instead of stdout")
	f.BoolVar(&g.confirm, "confirm", false, "measure suspicious rows again, both builds in turns, before deciding; needs the two binaries below or what they left behind")
	onceVar(f, &g.baseBinary, "base-binary", "", "amgpu `PATH` that measured BASE, for --confirm")
	onceVar(f, &g.newBinary, "new-binary", "", "amgpu `PATH` that measured NEW, for --confirm")
	onceVar(f, &g.timeout, "timeout", "", "stop the whole command after this time; what --confirm measured is kept")
	f.StringArrayVar(&g.history, "history", nil, "search the results in folder `DIR` for change points and drifts, by row (repeatable: the results of all folders, by date)")
	onceVar(f, &g.html, "html", "", "with --history: write the trend into `FILE` as a page, with the report of the latest result")
	return c
}

func (g *gateFlags) run(ctx context.Context, s streams, args []string) error {
	o, err := g.options()
	if err != nil {
		return err
	}
	if err := g.confirmFlags(args); err != nil {
		return err
	}
	if err := apart(target{"-o", g.output}, target{"--html", g.html}); err != nil {
		return err
	}
	if len(g.history) > 0 {
		return g.runHistory(s, args, o)
	}
	if g.html != "" {
		return usage("--html draws a trend: name the results with --history DIR")
	}
	switch {
	case len(args) == 0:
		return usage("name a baseline and a new result, or one result and --rules FILE")
	case len(args) == 1 && o.Rules == nil:
		return usage("%s alone cannot be judged: name a baseline before it, or limits with --rules FILE", args[0])
	}
	thrifty()
	path := args[len(args)-1]
	fresh, err := readFresh(path, len(args) == 1, o.Rules)
	if err != nil {
		return err
	}
	var base []*result.Result
	if len(args) == 2 {
		if base, err = readBaseline(s, args[0], path); err != nil {
			return err
		}
	}
	if len(fresh.Trials) == 0 {
		return &exitError{code: codeNothing, err: fmt.Errorf("%s: nothing was measured: it holds no trial", path), hint: "measure again with `amgpu scale`"}
	}
	var r *gate.Report
	if g.confirm {
		c, confirmErr := g.confirmWith(ctx, s, base, fresh, path, o)
		if confirmErr != nil {
			return confirmErr
		}
		r, err = c.run(ctx)
	} else {
		r, err = gate.Run(base, fresh, o)
	}
	if err != nil {
		return err
	}
	r.NewFile = path
	if len(args) == 2 {
		r.BaseFile = args[0]
	}
	raw, err := gate.Render(r, g.format)
	if err != nil {
		return err
	}
	if err := g.write(s, raw, args...); err != nil {
		return err
	}
	if n := r.Warned(gate.Unverified); n > 0 {
		s.say("amgpu: warning: %s on launches whose outputs were not verified: their times may be those of wrong results; --strict lets none of them pass", plural(n, "row rests", "rows rest"))
	}
	if r.Exit == codeOK {
		if n := r.Count(gate.Inconclusive); n > 0 {
			s.say("amgpu: warning: %s inconclusive: neither a regression nor its absence is shown; --strict makes that exit code 3", plural(n, "row is", "rows are"))
		}
		return nil
	}
	return &exitError{code: r.Exit, err: fmt.Errorf("gate: %s", r.Headline()), hint: gateHints[r.Verdict]}
}

// gateHints say what to do after a verdict.
var gateHints = map[gate.Verdict]string{
	gate.Missing:      "measure the rows that are missing, or pass --allow-missing",
	gate.Incomparable: "measure the baseline again with this hardware and driver, or compare on purpose with --across " + strings.Join(gate.Fields(), "|"),
	gate.Inconclusive: "measure more launches (--launches 10, or --confirm with both builds) or on a quieter machine",
	gate.WrongResult:  "a wrong result has no time: find its cause first",
	gate.DeviceLost:   "the result file names the device and the call that failed",
}

// options checks the flags and reads the rules.
func (g *gateFlags) options() (gate.Options, error) {
	o := gate.Options{Across: g.across, Strict: g.strict, AllowMissing: g.allowMissing}
	if g.asJSON {
		if g.format != "" && g.format != "json" {
			return o, usage("--json and --format %s: give one of them", g.format)
		}
		g.format = "json"
	}
	if g.format == "" {
		g.format = "text"
	}
	if !slices.Contains(gate.Formats(), g.format) {
		return o, usage("--format %q: use %s", g.format, strings.Join(gate.Formats(), ", "))
	}
	if g.across != "" && !slices.Contains(gate.Fields(), g.across) {
		return o, usage("--across %q: use %s", g.across, strings.Join(gate.Fields(), ", "))
	}
	if g.threshold != "" {
		v, err := parseFraction(g.threshold)
		if err != nil {
			return o, usage("--threshold %w", err)
		}
		o.Threshold = v
	}
	if g.rules != "" {
		f, err := os.Open(g.rules)
		if err != nil {
			return o, usage("--rules: %w", err)
		}
		defer func() { _ = f.Close() }() // only read
		if o.Rules, err = gate.ReadRules(f); err != nil {
			return o, usage("%s: %w", g.rules, err)
		}
	}
	if g.format == "targets" && (o.Rules == nil || len(o.Rules.Targets) == 0) {
		return o, usage("--format targets: name a rules file that lists targets with --rules FILE")
	}
	return o, nil
}

// write sends the output to stdout or into the file of -o, which must not be one
// of the inputs.
func (g *gateFlags) write(s streams, raw []byte, inputs ...string) error {
	if g.output == "" {
		_, err := s.Out.Write(raw)
		return err
	}
	for _, p := range append(inputs, g.rules) {
		if p != "" && sameFile(p, g.output) {
			return usage("-o %s is an input: choose another file", g.output)
		}
	}
	if err := spared("-o", g.output); err != nil {
		return err
	}
	return writeOutput("-o", g.output, raw)
}
