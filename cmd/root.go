// Package cmd is the command line: one file per command, each an options
// struct, its validation and a run function that calls the packages below.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/amgpu/amgpu/suites/cluster"
)

// streams are where a command writes: data to Out, everything else to Err.
type streams struct {
	Out, Err io.Writer
}

// terminal tells whether w is one; progress bars are drawn only there.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// columns is how many characters a line of w takes; 0: it is no terminal.
func columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// say writes a line for people to stderr.
func (s streams) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.Err, format+"\n", args...)
}

// Main runs one command line and returns its exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	// With a file size limit (ulimit -f) a write must fail, not end the process.
	signal.Ignore(syscall.SIGXFSZ)
	var patient atomic.Bool // a command that opens devices has begun
	asJSON := slices.ContainsFunc(args, asksJSON) || asksJSON("--json="+os.Getenv(envName("json")))
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer close(signals) // obey ends
	defer func() {
		if errors.Is(context.Cause(ctx), errSignal) { // repeated while the process ends: it must not decide the exit code
			signal.Ignore(os.Interrupt, syscall.SIGTERM)
		}
		signal.Stop(signals)
	}()
	go obey(signals, patient.Load, func() {
		if !quiet() {
			lastWords(stderr, errSignal, asJSON)
		}
	}, func() {
		stop(errSignal)
		if !asJSON && !quiet() {
			_, _ = fmt.Fprintln(stderr, "\namgpu: stopping after the step in progress; once more to stop at once (what was measured is kept)")
		}
	})

	ran := false
	root := newRoot(streams{stdout, stderr}, &ran, &patient)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if out, ok := root.OutOrStdout().(*written); err == nil && ok && out.err != nil {
		err, ran = out.err, true
	}
	if err != nil && endJob != nil {
		defer func() { endJob(codeFor(err)) }()
	}
	if err == nil {
		return codeOK
	}
	var told *exitError
	if !ran && !errors.As(err, &told) { // cobra refused the line before any command ran
		err = usageHint(err, "`amgpu -h` lists commands, `amgpu COMMAND -h` flags")
	}
	if !quiet() || is(err, cluster.ErrNotStarted) { // rank 0 may be the one that is missing
		printError(stderr, err, asJSON)
	}
	return codeFor(err)
}

// asksJSON looks at the raw argument: a line that does not parse still gets its
// error as JSON.
func asksJSON(arg string) bool {
	value, ok := strings.CutPrefix(arg, "--json")
	value, given := strings.CutPrefix(value, "=")
	on, err := strconv.ParseBool(value)
	return ok && (value == "" && !given || given && err == nil && on)
}

// refuseEmpty refuses flags given without a value, such as --gpus "$COUNTS" where the
// variable is not set: the default would measure something else without a word.
func refuseEmpty(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.String() == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			empty = len(list.GetSlice()) == 0 || slices.Contains(list.GetSlice(), "")
		}
		if empty && err == nil {
			err = emptyFlag(f)
		}
	})
	return err
}

// newRoot builds the commands. ran is set once cobra has understood the line,
// patient before a command opens devices.
func newRoot(s streams, ran *bool, patient *atomic.Bool) *cobra.Command {
	root := &cobra.Command{
		Use:   "amgpu",
		Short: "Measure Vulkan GPUs: speed, scaling from 1 to N, and where the lost time went",
		Long: `amgpu measures any set of Vulkan GPUs: how fast they are, how well work scales
from 1 to N of them, and where the lost time went. Every number is verified and
has an interval.

` + exitCodes,
		Example: `  amgpu devices                                    what can be used here, and why not
  amgpu scale                                      quick scaling check of all GPUs
  amgpu scale --software 2 --gpus 1,2              the same without any GPU
  amgpu scale linalg/matmul --gpus 1,2,4 -o r.json full protocol, results kept
  amgpu report r.json --format html,png -o out     render them anywhere
  amgpu gate base.json r.json                      is it slower than before?`,
		Version:       versionLine(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noSuch,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(&written{w: s.Out}) // before completion is added, which keeps it
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(nearest)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(examplesFirst(root.UsageTemplate()))
	root.SetHelpTemplate(helpTemplate)
	root.AddCommand(devicesCommand(s), suitesCommand(s), runCommand(s), scaleCommand(s), kernelCommand(s), reportCommand(s), gateCommand(s), versionCommand(s), manCommand(s))
	commands := slices.Clone(root.Commands())
	for _, c := range root.Commands() {
		commands = append(commands, c.Commands()...)
	}
	for _, c := range commands {
		inner := c.RunE
		c.RunE = func(c *cobra.Command, args []string) error {
			*ran = true
			if err := refuseEmpty(c); err != nil {
				return err
			}
			workloads, err := fill(c)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				args = workloads
			}
			ctx, cancel, err := withTimeout(c)
			if err != nil {
				return placed(c, err)
			}
			defer cancel()
			c.SetContext(ctx)
			patient.Store(c.Flags().Lookup("software") != nil || c.Flags().Changed("base-binary"))
			return placed(c, inner(c, args))
		}
	}
	complete(root)
	root.AddCommand(topics()...) // these run nothing
	root.SetHelpCommand(helpCommand())
	refuseOtherShells(root)
	return root
}

// withTimeout bounds the command by its --timeout, if it has that flag.
func withTimeout(c *cobra.Command) (context.Context, context.CancelFunc, error) {
	f := c.Flags().Lookup("timeout")
	if f == nil || f.Value.String() == "" {
		return c.Context(), func() {}, nil
	}
	d, err := parseSeconds(f.Value.String())
	if err != nil {
		return nil, nil, usage("--timeout %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(c.Context(), d, fmt.Errorf("%w: --timeout %s is over", errTimeout, shortTime(d)))
	// A step under way is not cut short: a device must end what it was given, and a
	// reference on the CPU knows no context. It gets a grace, then the process ends.
	stop := context.AfterFunc(ctx, func() {
		if !errors.Is(context.Cause(ctx), errTimeout) {
			return
		}
		time.Sleep(timeoutGrace)
		lastWords(c.ErrOrStderr(), fmt.Errorf("the step under way did not end within %s of the %w", timeoutGrace, errTimeout), asksJSON("--json="+flagText(c, "json")))
		exitNow(codeLost)
	})
	return ctx, func() { stop(); cancel() }, nil
}

// shortTime is a time to the millisecond, and a shorter one as it is.
func shortTime(d time.Duration) time.Duration {
	if d < time.Millisecond {
		return d
	}
	return d.Round(time.Millisecond)
}

// flagText is the value of a flag; empty: the command has no such flag.
func flagText(c *cobra.Command, name string) string {
	if f := c.Flags().Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// timeoutGrace is how long a step may outlast --timeout.
const timeoutGrace = 15 * time.Second

// Help shows examples first.
const helpTemplate = `{{if .HasExample}}Examples:
{{.Example}}

{{end}}{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}

{{end}}{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}`

// examplesFirst drops the examples from cobra's usage text: help has shown them.
func examplesFirst(template string) string {
	const from, to = "{{if .HasExample}}", "{{end}}"
	before, rest, ok := strings.Cut(template, from)
	if !ok {
		return template
	}
	_, after, _ := strings.Cut(rest, to)
	return before + after
}
