package cmd

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/scale"
)

// planned is what a plan says of one flag, in the words of the command line.
type planned struct{ flag, value string }

// otherPlan says in what two plans differ, flag by flag, as far as flags were asked for.
func otherPlan(stored, mine result.Plan, asked []string) (differ []string) {
	have, want := workloadsOf(stored.Order), workloadsOf(mine.Order)
	if slices.Contains(asked, "workloads") {
		differ = differences([]planned{{"workloads", have}}, []planned{{"workloads", want}}, asked)
	}
	differ = append(differ, differences(plannedFlags(stored), plannedFlags(mine), asked)...)
	if have == want { // else what else differs follows from that
		differ = append(differ, differences(launchFlags(stored), launchFlags(mine), asked)...)
	}
	return differ
}

// saidBy are flags whose value stands in the plan under the name of another one.
var saidBy = map[string][]string{"--strategy": {"assign"}}

func isAsked(flag string, asked []string) bool {
	return slices.ContainsFunc(asked, func(a string) bool {
		return "--"+a == flag || a == flag || slices.Contains(saidBy[flag], a)
	})
}

func differences(stored, mine []planned, asked []string) (out []string) {
	for i, s := range stored {
		if m := mine[i]; s.value != m.value && isAsked(s.flag, asked) {
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
		{"--team", strconv.FormatBool(!slices.Contains(p.Modes, scale.Solo))},
	}
}

// launchFlags are the settings that may differ from workload to workload.
func launchFlags(p result.Plan) []planned {
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

// otherParams says which parameters that were given have other values in a stored plan.
func otherParams(stored, mine map[string]int64, given map[string]int64) (differ []string) {
	for _, key := range slices.Sorted(maps.Keys(mine)) {
		_, name, _ := strings.Cut(key, ":")
		if _, is := given[name]; !is {
			continue
		}
		if have, there := stored[key]; there && have != mine[key] {
			differ = append(differ, fmt.Sprintf("--param: %s=%d in the file, %s=%d asked for", key, have, key, mine[key]))
		}
	}
	return differ
}

// otherConstants says which constants that were given differ from those of a stored plan,
// where the default of these devices is left out.
func (m *measurement) otherConstants(stored result.Plan) (differ []string) {
	class := engine.PoolLimits(m.adapters).Class
	for _, name := range slices.Sorted(maps.Keys(m.o.given)) {
		want, seen := m.o.given[name], map[string]bool{}
		for _, w := range m.o.workloads {
			at := slices.IndexFunc(w.Info().Tunables, func(t suites.Tunable) bool { return t.Name == name })
			if at < 0 {
				continue
			}
			for _, c := range stored.Order {
				if c.Workload != w.Info().ID {
					continue
				}
				have := w.Info().Tunables[at].For(class)
				if k := slices.IndexFunc(c.Constants, func(k result.Constant) bool { return k.Name == name }); k >= 0 {
					have = c.Constants[k].Value
				}
				if text := fmt.Sprintf("--constant: %s=%d in the file, %s=%d asked for", name, have, name, want); have != want && !seen[text] {
					seen[text] = true
					differ = append(differ, text)
				}
			}
		}
	}
	return differ
}
