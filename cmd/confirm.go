package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/report/result"
)

// confirmation measures the suspicious rows of a comparison again, the builds of
// both sides in turns, and decides anew (measurement.md M2, M3).
type confirmation struct {
	s      streams
	base   *result.Result
	fresh  *result.Result
	o      gate.Options
	builds [2]*build // base, new; nil: only what was measured before is used
	kept   *keptLaunches
}

// sides names them in messages.
var sides = [2]string{"base", "new"}

// acrossNames are what is set on a machine and not in a build.
var acrossNames = map[string]string{"driver": "driver", "power-limit": "power limit", "ecc": "ECC setting"}

// confirmFlags checks --confirm and its binaries before anything is read.
func (g *gateFlags) confirmFlags(args []string) error {
	switch {
	case !g.confirm && (g.baseBinary != "" || g.newBinary != ""):
		return usage("--base-binary and --new-binary belong to --confirm")
	case !g.confirm:
		return nil
	case len(args) != 2:
		return usage("--confirm compares two results: name a baseline and a new result")
	case (g.baseBinary == "") != (g.newBinary == ""):
		return usage("--confirm needs the builds of both sides: give --base-binary and --new-binary")
	case slices.Contains([]string{"driver", "power-limit", "ecc"}, g.across):
		return usage("--confirm cannot go with --across %s: both builds take turns on the machine as it is now, so their launches say nothing about another %s; compare without --confirm, with a folder of several results as BASE", g.across, acrossNames[g.across])
	}
	return nil
}

// confirmWith prepares a confirmation: binaries that run and are those that
// measured the sides, files that can be written.
func (g *gateFlags) confirmWith(ctx context.Context, s streams, base []*result.Result, fresh *result.Result, path string, o gate.Options) (*confirmation, error) {
	if len(base) != 1 {
		return nil, usage("--confirm needs one result as baseline, there are %d: a folder already holds what differs between occasions, and its results may come from several builds of which --base-binary is one; name the file that --base-binary measured, or compare with the folder without --confirm", len(base))
	}
	o.Confirmed = true
	c := &confirmation{s: s, base: base[0], fresh: fresh, o: o}
	var err error
	if c.kept, err = openKept(path, base[0], fresh); err != nil || g.baseBinary == "" {
		return c, err
	}
	for i, binary := range []string{g.baseBinary, g.newBinary} {
		if c.builds[i], err = newBuild(ctx, sides[i], binary, []*result.Result{base[0], fresh}[i]); err != nil {
			return nil, err
		}
	}
	return c, c.kept.writable()
}

// run returns the verdicts after as many rounds as there are suspects for.
func (c *confirmation) run(ctx context.Context) (*gate.Report, error) {
	r, err := c.decide(0)
	if err != nil {
		return nil, err
	}
	for round := range gate.ConfirmRounds {
		suspects := gate.Suspects(r, c.fresh)
		if len(suspects) == 0 {
			return r, nil
		}
		c.s.say("amgpu: confirmation, round %d of %d: %s", round+1, gate.ConfirmRounds, plural(len(suspects), "suspicious row", "suspicious rows"))
		stopped, err := c.round(ctx, round, suspects)
		if err != nil {
			return nil, err
		}
		if r, err = c.decide((round + 1) * gate.ConfirmBlocks); err != nil || stopped {
			return r, err
		}
	}
	return r, nil
}

// decide judges by the files and the launches of so many blocks.
func (c *confirmation) decide(blocks int) (*gate.Report, error) {
	o := c.o
	o.Confirm = c.kept.until(blocks)
	return gate.Run([]*result.Result{c.base}, c.fresh, o)
}

// round measures what is still missing of the blocks of a round: base, new; new,
// base; and so on. stopped: a result was wrong or a device lost, which is a verdict.
func (c *confirmation) round(ctx context.Context, round int, suspects []*gate.Row) (stopped bool, err error) {
	for block := round * gate.ConfirmBlocks; block < (round+1)*gate.ConfirmBlocks; block++ {
		cells := gate.ConfirmPlan(suspects, c.fresh.Plan, block)
		if len(cells) == 0 {
			return false, usage("the plan stored in the new result does not list the rows to confirm: measure it again with `amgpu scale`")
		}
		order := []int{0, 1}
		if block%2 == 1 {
			slices.Reverse(order)
		}
		for _, i := range order {
			missing := c.kept.missing(i, cells)
			if len(missing) == 0 {
				continue
			}
			if c.builds[i] == nil {
				return false, usage("--confirm: %s not measured: give --base-binary and --new-binary", plural(len(missing), "launch is", "launches are"))
			}
			c.s.say("amgpu: block %d of %d: %s build, %s", block+1, gate.ConfirmRounds*gate.ConfirmBlocks, sides[i], plural(len(missing), "launch", "launches"))
			if stopped, err := c.measure(ctx, i, missing); err != nil || stopped {
				return stopped, c.explain(err)
			}
		}
	}
	return false, nil
}

// measure runs the build of one side and keeps its launches, also those that a
// failing or interrupted one left behind.
func (c *confirmation) measure(ctx context.Context, i int, cells []result.PlannedCell) (stopped bool, err error) {
	res, runErr := c.builds[i].measure(ctx, c.fresh, cells)
	if res != nil {
		if differs := gate.DifferentDevices([]*result.Result{c.base, c.fresh}[i], res); differs != "" {
			return false, &exitError{code: codeDiffers, err: fmt.Errorf("--%s-binary %s does not measure as the %s result was measured: %s", sides[i], c.builds[i].path, sides[i], differs),
				hint: "confirm on the machine, devices and driver that both results come from"}
		}
		if err := c.kept.add(i, res); err != nil {
			return false, errors.Join(runErr, err)
		}
	}
	var failed *exitError
	if res != nil && errors.As(runErr, &failed) && (failed.code == codeWrong || failed.code == codeLost) && ctx.Err() == nil {
		return true, nil // its rows say so
	}
	return false, runErr
}

// explain adds where the launches measured so far are.
func (c *confirmation) explain(err error) error {
	if err == nil || c.kept.launches() == 0 {
		return err
	}
	next := "the same command measures only the rest"
	var exit *exitError
	if errors.As(err, &exit) {
		if exit.hint != "" {
			next = exit.hint + "; then " + next
		}
	}
	return &exitError{code: codeFor(err), err: fmt.Errorf("%w; %s kept for the confirmation in %s and %s", err, plural(c.kept.launches(), "launch is", "launches are"), c.kept.paths[0], c.kept.paths[1]), hint: next}
}
