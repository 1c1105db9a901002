package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/amgpu/amgpu/report/result"
)

// build is an amgpu binary that measures one side of a confirmation.
type build struct {
	side, path string
}

// newBuild checks that the binary runs, writes results that this one reads, and is
// the one that measured the side.
func newBuild(ctx context.Context, side, path string, measured *result.Result) (*build, error) {
	b := &build{side, path}
	fail := func(format string, args ...any) (*build, error) {
		return nil, usage("--%s-binary %s: %w", side, path, fmt.Errorf(format, args...))
	}
	out, late, err := b.version(ctx)
	var about struct {
		result.Tool
		Schema string `json:"schema"`
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return fail("there is no such program")
	case errors.Is(err, fs.ErrPermission):
		return fail("it may not be run: chmod +x")
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case late:
		return fail("`version --json` did not answer within %s and was ended: name an amgpu binary", probeTime)
	case err != nil && !json.Valid(out):
		return fail("`version --json` failed (%w): name an amgpu binary", err)
	case err != nil || json.Unmarshal(out, &about) != nil || about.Name != "amgpu":
		return fail("`version --json` gives no version of amgpu: name an amgpu binary")
	case about.Schema != result.Schema:
		return fail("it writes results %s, this amgpu compares %s: confirm with builds of one major version", about.Schema, result.Schema)
	}
	if have, want := about.Tool, measured.Tool; have.Version != want.Version || have.Commit != want.Commit {
		return fail("it is %s, the %s result was measured by %s: name the build that measured it", buildName(have), side, buildName(want))
	}
	return b, nil
}

func buildName(t result.Tool) string {
	return strings.TrimSpace(t.Version + " " + t.Commit)
}

// probeTime is how long a binary may take to say its version: an amgpu takes
// milliseconds, and what takes longer is something else.
const probeTime = 10 * time.Second

// version asks the binary what it is; late: it gave no answer in time and was killed
// with all that it started.
func (b *build) version(ctx context.Context) (out []byte, late bool, err error) {
	probe, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	c := b.command(probe, "version", "--json")
	c.Cancel = func() error { return killGroup(c) }
	c.WaitDelay = time.Second
	var o bytes.Buffer
	c.Stdout = &o
	err = c.Run()
	if c.Process != nil { // what it left behind in the background
		_ = killGroup(c) // nothing left is fine
	}
	return o.Bytes(), probe.Err() != nil && ctx.Err() == nil || errors.Is(err, exec.ErrWaitDelay), err
}

// command is the binary in a process group of its own.
func (b *build) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, b.path, args...)
	c.Env = withoutSettings(os.Environ())
	// A signal of the terminal must reach it once: it stops after its step and keeps
	// what it measured.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

// killGroup ends a command and all that it started.
func killGroup(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }

// run starts the binary with the settings of this process left out: flags that
// AMGPU_* variables set were part of the first measurement's plan.
func (b *build) run(ctx context.Context, args ...string) (out, stderr []byte, err error) {
	c := b.command(ctx, args...)
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 2 * timeoutGrace
	err = c.Run()
	if ctx.Err() != nil && c.Process != nil { // it had its time to keep what it measured
		_ = killGroup(c) // nothing left is fine
	}
	return o.Bytes(), e.Bytes(), err
}

// withoutSettings drops the variables that mirror flags of scale.
func withoutSettings(env []string) []string {
	var names []string
	scaleCommand(streams{}).Flags().VisitAll(func(f *pflag.Flag) { names = append(names, envName(f.Name)) })
	return slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(names, name)
	})
}

// measure lets the binary measure the cells as the new result was measured. It
// returns what was measured beside an error; nil: nothing.
func (b *build) measure(ctx context.Context, fresh *result.Result, cells []result.PlannedCell) (*result.Result, error) {
	dir, err := os.MkdirTemp("", "amgpu-confirm-")
	if err != nil {
		return nil, err
	}
	defer leftover(dir)()
	defer func() { _ = os.RemoveAll(dir) }() // what counts was read
	plan, out := *fresh, filepath.Join(dir, "out.json")
	plan.Trials, plan.Summary, plan.Laws, plan.Warnings, plan.Plan.Order, plan.Plan.SelfTest = nil, nil, nil, nil, cells, false
	if err := result.Write(filepath.Join(dir, "plan.json"), &plan); err != nil {
		return nil, err
	}
	args := []string{"scale", "--plan", filepath.Join(dir, "plan.json"), "-o", out, "--no-progress"}
	kernel, err := kernelFlags(fresh)
	if err != nil {
		return nil, err
	}
	_, stderr, runErr := b.run(ctx, append(append(args, deviceFlags(fresh.Devices)...), kernel...)...)
	res, err := result.Read(out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		res = nil
	case err != nil:
		return nil, usage("--%s-binary %s: %w", b.side, b.path, err)
	}
	if ctx.Err() != nil {
		return res, context.Cause(ctx)
	}
	return res, b.failure(runErr, stderr)
}

// failure gives a run that failed the exit code of its cause.
func (b *build) failure(err error, stderr []byte) error {
	var exit *exec.ExitError
	if err == nil {
		return nil
	}
	code, text := codeOther, err.Error()
	if errors.As(err, &exit) {
		if c := exit.ExitCode(); slices.Contains([]int{codeUsage, codeNothing, codeWrong, codeLost, codeNoGPU, codeInterrupted}, c) {
			code = c
		}
		text = lastError(stderr, text)
	}
	return &exitError{code: code, err: fmt.Errorf("--%s-binary %s failed: %s", b.side, b.path, text)}
}

// lastError is the last line that amgpu says itself, else what ended it.
func lastError(stderr []byte, otherwise string) string {
	out := otherwise
	for line := range strings.Lines(string(stderr)) {
		if said, ok := strings.CutPrefix(strings.TrimSpace(line), "amgpu: "); ok {
			out = said
		}
	}
	return out
}

// deviceFlags choose the pool of a result again; software devices are made anew.
func deviceFlags(devices []result.Device) []string {
	var out, soft []string
	lavapipe := 0
	for _, d := range devices {
		switch {
		case d.Software && strings.Contains(d.Driver, "SwiftShader"):
			soft = append(soft, "swiftshader")
		case d.Software:
			lavapipe++
		case d.UUID != "":
			out = append(out, "--device", d.UUID)
		default:
			out = append(out, "--device", d.PCI)
		}
	}
	if lavapipe > 0 {
		soft = append([]string{fmt.Sprint(lavapipe)}, soft...)
	}
	if len(soft) > 0 {
		out = append(out, "--software", strings.Join(soft, "+"))
	}
	return out
}

// kernelFlags name the user's own kernel, which a plan does not hold.
func kernelFlags(res *result.Result) ([]string, error) {
	if res.Plan.Shader == "" {
		return nil, nil
	}
	var out []string
	for _, flag := range []string{"--shader", "--kernel"} {
		for i, word := range res.Command {
			if value, ok := strings.CutPrefix(word, flag+"="); ok {
				out = append(out, flag, value)
			} else if word == flag && i+1 < len(res.Command) {
				out = append(out, flag, res.Command[i+1])
			}
		}
	}
	if len(out) != 4 {
		return nil, usage("--confirm: the new result measured a kernel of your own, but its command line does not name --shader and --kernel: measure it with these flags")
	}
	return out, nil
}
