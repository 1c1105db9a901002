package cmd

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

// planned is what a plan says of one flag, in the words of the command line.
type planned struct{ flag, value string }

// otherPlan says in what two plans differ, flag by flag; empty: in nothing.
func otherPlan(stored, mine result.Plan) string {
	have, want := workloadsOf(stored.Order), workloadsOf(mine.Order)
	differ := differences([]planned{{"workloads", have}}, []planned{{"workloads", want}})
	differ = append(differ, differences(plannedFlags(stored), plannedFlags(mine))...)
	if have == want { // else what else differs follows from that
		differ = append(differ, differences(launchFlags(stored), launchFlags(mine))...)
	}
	if len(differ) == 0 && !slices.EqualFunc(stored.Order, mine.Order, sameCell) {
		return "its launches are in another order or on other devices"
	}
	return strings.Join(differ, "; ")
}

func differences(stored, mine []planned) (out []string) {
	for i, s := range stored {
		if m := mine[i]; s.value != m.value {
			out = append(out, fmt.Sprintf("%s: %s in the file, %s asked for", s.flag, orNone(s.value), orNone(m.value)))
		}
	}
	return out
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// plannedFlags are the settings that hold for all launches.
func plannedFlags(p result.Plan) []planned {
	return []planned{
		{"--gpus", numbers(p.Counts)}, {"--nodes", numbers(p.Nodes)}, {"--mode", strings.Join(p.Modes, ",")}, {"--subsets", p.Subsets},
		{"--strategy", p.Strategy}, {"--preset", p.Preset}, {"--launches", strconv.Itoa(p.Launches)}, {"--samples", strconv.Itoa(p.Samples)},
		{"--precision", strconv.FormatFloat(100*p.Precision, 'g', 6, 64) + "%"}, {"--max-time", time.Duration(p.MaxTime * float64(time.Second)).String()},
		{"--seed", strconv.FormatUint(p.Seed, 10)}, {"--self-test", strconv.FormatBool(p.SelfTest)}, {"--input", p.Input},
	}
}

// launchFlags are the settings that may differ from workload to workload.
func launchFlags(p result.Plan) []planned {
	params := make([]string, 0, len(p.Params))
	for _, name := range slices.Sorted(maps.Keys(p.Params)) {
		params = append(params, fmt.Sprintf("%s=%d", name, p.Params[name]))
	}
	each := func(flag string, of func(result.PlannedCell) string) planned {
		return planned{flag, distinct(p.Order, of)}
	}
	return []planned{
		each("--size", func(c result.PlannedCell) string {
			if c.Size.Label == "custom" || c.Size.Label == "" {
				return strconv.FormatInt(c.Size.N, 10)
			}
			return c.Size.Label
		}),
		each("--split", func(c result.PlannedCell) string { return c.Split }),
		each("--algorithm", func(c result.PlannedCell) string { return c.Algorithm }),
		each("--transport", func(c result.PlannedCell) string { return c.Transport }),
		each("--residency", func(c result.PlannedCell) string { return c.Residency }),
		each("--cache", func(c result.PlannedCell) string { return c.Cache }),
		{"--param", strings.Join(params, ", ")},
		each("--constant", func(c result.PlannedCell) string {
			var all []string
			for _, k := range c.Constants {
				all = append(all, fmt.Sprintf("%s=%d", k.Name, k.Value))
			}
			return strings.Join(all, " ")
		}),
	}
}

func workloadsOf(order []result.PlannedCell) string {
	return distinct(order, func(c result.PlannedCell) string { return c.Workload })
}

// distinct are the values that the launches of a plan have, sorted, each once.
func distinct(order []result.PlannedCell, of func(result.PlannedCell) string) string {
	seen := map[string]bool{}
	for _, c := range order {
		if v := of(c); v != "" {
			seen[v] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), ", ")
}

func numbers(list []int) string {
	text := make([]string, len(list))
	for i, n := range list {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, ",")
}

func sameCell(a, b result.PlannedCell) bool {
	return a.Key == b.Key && a.Count == b.Count && slices.Equal(a.Devices, b.Devices) && a.Block == b.Block && a.Launch == b.Launch &&
		a.Side == b.Side && a.Total == b.Total && slices.Equal(a.Constants, b.Constants)
}
