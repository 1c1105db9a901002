package scale

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
)

// Config is what to sweep.
type Config struct {
	Items  []Item
	Modes  []string
	Counts []int
	Pool   []result.Device
	// Groups are devices that belong together, by place in the pool, equally many each, and Whole
	// how many of them some counts are made of: teams of such a count are whole groups.
	Groups    [][]int
	Whole     []int
	Subsets   string // one of Subsets
	Strategy  string
	Transport string
	// Residencies and Caches give separate rows: resident, end-to-end; hot, cold.
	// Empty stands for the first of each.
	Residencies, Caches []string
	Preset              Preset
	Seed                uint64
	SelfTest            bool // A/A: everything twice, on sides A and B
}

// ErrConfig marks a sweep that cannot be planned; the text says what to change.
var ErrConfig = errors.New("invalid sweep")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrConfig, fmt.Sprintf(format, args...))
}

// maxBlock bounds the launches of one block, which `all` subsets can explode.
const maxBlock = 2000

// Plan lists the launches in the order to measure them: blocks that hold every
// cell once, each in random order.
func Plan(c Config) ([]Cell, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(c.Seed, 0x616d677075)) // "amgpu"
	launches := map[string]int{}
	var out []Cell
	for block := range c.Preset.Launches {
		cells, err := c.block(block)
		if err != nil {
			return nil, err
		}
		// Launch numbers first: they must not depend on the order in the block.
		for i := range cells {
			id := fmt.Sprint(cells[i].Key, cells[i].Count)
			cells[i].Launch = launches[id]
			launches[id]++
		}
		rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		if c.SelfTest {
			cells = bothSides(cells, block)
		}
		out = append(out, cells...)
	}
	return out, nil
}

func (c Config) check() error {
	switch {
	case len(c.Items) == 0:
		return invalid("no workload")
	case len(c.Modes) == 0 || len(c.Counts) == 0:
		return invalid("no mode or no count")
	case len(c.Pool) == 0:
		return invalid("no device in the pool")
	case c.Preset.Launches < 1:
		return invalid("%d launches, need at least 1", c.Preset.Launches)
	}
	for _, n := range c.Counts {
		if n < 1 || n > len(c.Pool) {
			return invalid("count %d with a pool of %d", n, len(c.Pool))
		}
	}
	for _, g := range c.Groups {
		if len(g) == 0 || len(g) != len(c.Groups[0]) {
			return invalid("groups of %d and %d devices", len(c.Groups[0]), len(g))
		}
	}
	for _, m := range c.Modes {
		if m != Strong && m != Weak && m != Solo {
			return invalid("unknown mode %q: use strong or weak", m)
		}
	}
	for _, r := range c.Residencies {
		if !slices.Contains(Residencies, r) {
			return invalid("unknown residency %q: use %s", r, strings.Join(Residencies, ", "))
		}
	}
	for _, s := range c.Caches {
		if !slices.Contains(Caches, s) {
			return invalid("unknown cache state %q: use %s", s, strings.Join(Caches, ", "))
		}
	}
	if !slices.Contains(SubsetRules, c.Subsets) {
		return invalid("unknown subsets rule %q: use %s", c.Subsets, strings.Join(SubsetRules, ", "))
	}
	return nil
}

// block lists the cells of one block, unshuffled.
func (c Config) block(block int) ([]Cell, error) {
	everySolo := c.Preset.Solo && Unequal(c.Pool)
	var cells []Cell
	for _, item := range c.Items {
		for _, state := range c.statesOf(item.Workload) {
			for _, mc := range c.series() {
				mode, count := mc.mode, mc.count
				rule := c.Subsets
				if mode == Solo || count == 1 && everySolo {
					// Unequal GPUs: the ideal is the sum of the solo rates, so
					// every device is measured alone in every block.
					rule = "all"
				}
				sets := c.teams(rule, count, block)
				if rule == "rotate" && count == 1 && c.Preset.Solo && c.Preset.Launches >= fewest {
					sets = alone(len(c.Pool), c.Preset.Launches*len(c.Modes), block)
				}
				if len(cells)+len(sets) > maxBlock {
					return nil, invalid("more than %d launches in one block: use --subsets rotate or fewer workloads and counts", maxBlock)
				}
				for _, set := range sets {
					cells = append(cells, c.cell(item, state, mode, count, set, block))
				}
			}
		}
	}
	return cells, nil
}

// dataState is where data is before an iteration and what the caches hold.
type dataState struct{ residency, cache string }

// states lists the combinations asked for.
func (c Config) states() []dataState {
	var out []dataState
	for _, r := range orDefault(c.Residencies, Residencies) {
		for _, cache := range orDefault(c.Caches, Caches) {
			out = append(out, dataState{r, cache})
		}
	}
	return out
}

// statesOf are those of a workload, which may know one residency only.
func (c Config) statesOf(w suites.Workload) []dataState {
	only := w.Info().Residency
	if only == "" {
		return c.states()
	}
	var out []dataState
	for _, s := range c.states() {
		if s.residency = only; !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func orDefault(chosen, all []string) []string {
	if len(chosen) == 0 {
		return all[:1]
	}
	return chosen
}

type modeCount struct {
	mode  string
	count int
}

// series lists the modes with their counts.
func (c Config) series() []modeCount {
	var out []modeCount
	for _, m := range c.Modes {
		for _, n := range c.Counts {
			out = append(out, modeCount{m, n})
		}
	}
	return out
}

func (c Config) cell(item Item, state dataState, mode string, count int, set []int, block int) Cell {
	devices := make([]int, len(set))
	for i, at := range set {
		devices[i] = c.Pool[at].Index
	}
	total, transport := item.Size.N, c.Transport
	if item.Workload.Info().Communication == "none" {
		transport = "none"
	}
	if mode == Weak {
		total = WeakTotal(item.Workload, item.Size.N, count)
	}
	return Cell{
		Key: result.Key{
			Workload: item.Workload.Info().ID, Mode: mode, Size: item.Size,
			Strategy: c.Strategy, Split: item.Split, Transport: transport, Algorithm: item.Algorithm,
			Residency: state.residency, Cache: state.cache,
		},
		Item: item, Count: count, Devices: devices, Total: total, Seed: c.Seed, Block: block,
	}
}

// WeakTotal is the total size in weak mode for count devices when one has n.
func WeakTotal(w suites.Workload, n int64, count int) int64 {
	if ws, ok := w.(suites.WeakSizer); ok {
		return ws.WeakSize(n, count)
	}
	return n * int64(count)
}

// Planned is the stored form of a plan.
func Planned(cells []Cell) []result.PlannedCell {
	out := make([]result.PlannedCell, len(cells))
	for i, c := range cells {
		out[i] = result.PlannedCell{Key: c.Key, Count: c.Count, Devices: c.Devices, Block: c.Block, Launch: c.Launch, Side: c.Side, Total: c.Total}
		for _, k := range c.Item.Constants {
			if k.From != result.FromDefault {
				out[i].Constants = append(out[i].Constants, k)
			}
		}
	}
	return out
}
