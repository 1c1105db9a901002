package cmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/own"
	"github.com/amgpu/amgpu/suites/scale"
)

// buildable asks for a cell's program. What a workload refuses is invalid input where the
// user chose it: the parameters, when it builds with their defaults; a size that is no
// standard one, a file, a kernel of one's own. The rest, standard sizes that do not fit
// these devices or this count, is left to the launch.
func (m *machine) buildable(c scale.Cell) error {
	at := fmt.Sprintf("%s, %s, %s", c.Workload, c.Mode, plural(c.Count, "GPU", "GPUs"))
	if mine, yours := c.Item.Workload.(*own.Workload); yours { // its description is input, at every size
		if err := mine.Try(m.build(c)); err != nil {
			return usage("%s: %w", at, err)
		}
		return nil
	}
	refusal := m.refusal(c)
	if refusal == nil {
		return nil
	}
	why := strings.TrimPrefix(refusal.Error(), c.Workload+": ")
	if culprits := m.culprits(c); len(culprits) > 0 {
		return usage("%s: %s: %s", at, strings.Join(culprits, ", "), why)
	}
	if c.Size.Label == "custom" || c.Item.Input != "" {
		return usage("%s: %s", at, why)
	}
	return nil
}

// refusal is why there is no program of a cell; nil: there is.
func (m *machine) refusal(c scale.Cell) error {
	_, err := c.Item.Workload.Build(m.build(c))
	return err
}

// culprits are the parameters and constants that were given to a refused cell and whose
// defaults are not refused: each that is enough to change, else all of them.
func (m *machine) culprits(c scale.Cell) (names []string) {
	params := c.Item.Workload.Info().Params
	changed := slices.DeleteFunc(slices.Clone(params), func(p suites.Param) bool { return c.Item.Params[p.Name] == p.Default })
	given := func(k result.Constant) bool { return k.From == result.FromGiven }
	constants := slices.DeleteFunc(slices.Clone(c.Item.Constants), func(k result.Constant) bool { return !given(k) })
	usual := c
	usual.Item.Constants = slices.DeleteFunc(slices.Clone(c.Item.Constants), given)
	usual.Item.Params = map[string]int64{}
	for _, p := range params {
		usual.Item.Params[p.Name] = p.Default
	}
	if len(changed)+len(constants) == 0 || m.refusal(usual) != nil {
		return nil
	}
	var all []string
	add := func(name string, alone scale.Cell) {
		all = append(all, name)
		if m.refusal(alone) == nil {
			names = append(names, name)
		}
	}
	for _, p := range changed {
		alone := c
		alone.Item.Params = maps.Clone(c.Item.Params)
		alone.Item.Params[p.Name] = p.Default
		add(fmt.Sprintf("parameter %s=%d", p.Name, c.Item.Params[p.Name]), alone)
	}
	for _, k := range constants {
		alone := c
		alone.Item.Constants = slices.DeleteFunc(slices.Clone(c.Item.Constants), func(other result.Constant) bool { return other.Name == k.Name })
		add(fmt.Sprintf("constant %s=%d", k.Name, k.Value), alone)
	}
	if len(names) == 0 {
		return all
	}
	return names
}
