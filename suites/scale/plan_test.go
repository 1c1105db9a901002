package scale

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPlanBlocks(t *testing.T) {
	c := config(4)
	c.Counts = []int{1, 2, 4}
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	const perBlock = 6
	if len(cells) != 4*perBlock {
		t.Fatalf("%d launches, want %d", len(cells), 4*perBlock)
	}
	orders := map[string]bool{}
	for b := range 4 {
		seen := map[string]bool{}
		order := ""
		for _, cell := range cells[b*perBlock : (b+1)*perBlock] {
			id := fmt.Sprint(cell.Mode, cell.Count)
			if seen[id] || cell.Block != b || cell.Launch != b {
				t.Errorf("block %d: %s repeated, or block %d, launch %d", b, id, cell.Block, cell.Launch)
			}
			seen[id] = true
			order += id
			want := int64(12)
			if cell.Mode == Weak {
				want *= int64(cell.Count)
			}
			if cell.Total != want || cell.Size.N != 12 {
				t.Errorf("%s: total %d of size %d", id, cell.Total, cell.Size.N)
			}
		}
		orders[order] = true
	}
	if len(orders) < 2 {
		t.Error("every block has the same order")
	}
	again, _ := Plan(c)
	if d := cmp.Diff(Planned(cells), Planned(again)); d != "" {
		t.Errorf("the same seed gives another plan: %s", d)
	}
	c.Seed++
	other, _ := Plan(c)
	if cmp.Equal(Planned(cells), Planned(other)) {
		t.Error("another seed gives the same plan")
	}
}

// TestWholeGroups: teams of a count that is made of whole groups are whole groups, which take
// turns; other counts and one device alone are not bound to them.
func TestWholeGroups(t *testing.T) {
	c := config(6)
	c.Modes, c.Counts, c.Subsets = []string{Strong}, []int{1, 2, 3, 4, 6}, "rotate"
	c.Groups, c.Whole = [][]int{{0, 3}, {1, 4}, {2, 5}}, []int{1, 2, 3}
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, cell := range cells {
		got[fmt.Sprint(cell.Devices)] = true
	}
	for _, want := range []string{"[10 13]", "[11 14]", "[12 15]", "[10 11 13 14]", "[11 12 14 15]", "[10 12 13 15]", "[10 11 12 13 14 15]", "[10 11 12]", "[11 12 13]", "[10]"} {
		if !got[want] {
			t.Errorf("no launch on %s: %v", want, got)
		}
	}
	if got["[10 11]"] || got["[11 12]"] {
		t.Errorf("a team of two is no group: %v", got)
	}
	c.Groups[2] = []int{2}
	if _, err := Plan(c); !errors.Is(err, ErrConfig) {
		t.Errorf("unequal groups: error %v", err)
	}
}

// TestDataStates: each residency and cache state asked for is a row of its own.
func TestDataStates(t *testing.T) {
	c := config(2)
	c.Counts = []int{1, 2}
	c.Residencies, c.Caches = []string{"resident", "end-to-end"}, []string{"hot", "cold"}
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, cell := range cells {
		rows[cell.Residency+" "+cell.Cache]++
	}
	each := len(cells) / 4
	want := map[string]int{"resident hot": each, "resident cold": each, "end-to-end hot": each, "end-to-end cold": each}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
	c.Items[0].Workload = moved{load{"a/moved"}}
	if cells, err = Plan(c); err != nil {
		t.Fatal(err)
	}
	rows = map[string]int{}
	for _, cell := range cells {
		if cell.Workload == "a/moved" {
			rows[cell.Residency+" "+cell.Cache]++
		}
	}
	if len(rows) != 2 || rows["end-to-end hot"] != rows["end-to-end cold"] || rows["end-to-end hot"] == 0 {
		t.Errorf("a workload with one residency: %v", rows)
	}
	c.Residencies = []string{"somewhere"}
	if _, err := Plan(c); !errors.Is(err, ErrConfig) {
		t.Errorf("an unknown residency: %v", err)
	}
	c.Residencies, c.Caches = nil, []string{"lukewarm"}
	if _, err := Plan(c); !errors.Is(err, ErrConfig) {
		t.Errorf("an unknown cache state: %v", err)
	}
}

func TestSubsets(t *testing.T) {
	got := map[string][][]int{}
	for _, rule := range SubsetRules {
		for b := range 4 {
			got[rule] = append(got[rule], subsets(rule, 4, 3, b)...)
		}
	}
	if d := cmp.Diff([][]int{{0, 1, 2}, {1, 2, 3}, {0, 2, 3}, {0, 1, 3}}, got["rotate"]); d != "" {
		t.Error("rotate:", d)
	}
	if d := cmp.Diff([][]int{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}}, got["first"]); d != "" {
		t.Error("first:", d)
	}
	if d := cmp.Diff([][]int{{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}}, got["all"][:4]); d != "" {
		t.Error("all:", d)
	}
}

// TestEveryDeviceHasTurnsAlone: a device that is never alone cannot be compared with
// its peers.
func TestEveryDeviceHasTurnsAlone(t *testing.T) {
	for _, x := range []struct {
		pool, launches int
		modes          []string
		want           int // launches on one device
	}{{8, 7, []string{Strong, Weak}, 28}, {4, 7, []string{Strong, Weak}, 14}, {4, 7, []string{Strong}, 14}, {2, 7, []string{Strong}, 7}, {16, 5, []string{Weak}, 35}, {4, 2, []string{Strong}, 2}} {
		c := config(x.pool)
		c.Counts, c.Modes, c.Preset.Launches = []int{1, 2}, x.modes, x.launches
		cells, err := Plan(c)
		if err != nil {
			t.Fatal(err)
		}
		turns, total := map[int]int{}, 0
		for _, cell := range cells {
			if cell.Count == 1 {
				turns[cell.Devices[0]]++
				total++
			}
		}
		if total != x.want {
			t.Errorf("%+v: %d launches on one device", x, total)
		}
		for _, d := range c.Pool {
			if x.launches >= fewest && turns[d.Index] < 2 {
				t.Errorf("%+v: device %d is alone %d times", x, d.Index, turns[d.Index])
			}
		}
	}
	c := config(8)
	c.Preset.Solo = false // quick
	if cells, _ := Plan(c); len(cells) != c.Preset.Launches*len(c.Modes)*len(c.Counts) {
		t.Errorf("quick has %d launches", len(cells))
	}
}

func TestDevicesAreIndexes(t *testing.T) {
	c := config(2)
	c.Counts = []int{2}
	cells, err := Plan(c)
	if err != nil || !slices.Equal(cells[0].Devices, []int{10, 11}) {
		t.Errorf("devices %v (%v), want the pool's indexes 10 and 11", cells[0].Devices, err)
	}
}

func TestUnequalPoolMeasuresEveryDeviceAlone(t *testing.T) {
	c := config(0)
	c.Pool = pool("fast", "slow")
	c.Modes = []string{Strong}
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	alone := map[int]int{}
	for _, cell := range cells {
		if cell.Count == 1 {
			alone[cell.Devices[0]]++
		}
	}
	if alone[10] != 4 || alone[11] != 4 {
		t.Errorf("solo launches per device %v, want 4 each", alone)
	}
	c.Preset.Solo = false // quick
	cells, _ = Plan(c)
	if len(cells) != 8 {
		t.Errorf("quick: %d launches, want 8", len(cells))
	}
}

func TestWeakTotal(t *testing.T) {
	if got := WeakTotal(load{}, 5, 3); got != 15 {
		t.Errorf("plain: %d", got)
	}
	if got := WeakTotal(square{}, 5, 3); got != 45 {
		t.Errorf("of its own: %d", got)
	}
}

func TestInvalidPlans(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"no workload":          func(c *Config) { c.Items = nil },
		"no pool":              func(c *Config) { c.Pool = nil },
		"count above the pool": func(c *Config) { c.Counts = []int{5} },
		"count 0":              func(c *Config) { c.Counts = []int{0} },
		"mode":                 func(c *Config) { c.Modes = []string{"medium"} },
		"subsets":              func(c *Config) { c.Subsets = "some" },
		"launches":             func(c *Config) { c.Preset.Launches = 0 },
		"too many subsets": func(c *Config) {
			c.Pool = pool(make([]string, 20)...)
			c.Counts, c.Subsets = []int{10}, "all"
		},
	} {
		c := config(4)
		spoil(&c)
		if _, err := Plan(c); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestPresets(t *testing.T) {
	for _, name := range PresetNames {
		for _, software := range []bool{true, false} {
			p, err := FindPreset(name, software)
			if err != nil || p.Rules.Check() != nil || p.Launches < 3 {
				t.Errorf("%s: %+v, %v", name, p, err)
			}
			if (software || name == "quick") && p.Idle != 0 {
				t.Errorf("%s, software %v: waits %v between launches", name, software, p.Idle)
			}
		}
	}
	if _, err := FindPreset("fast", true); err == nil {
		t.Error("unknown preset accepted")
	}
}

// The parameters of measurement.md 1.1.
func TestPresetsFollowTheProtocol(t *testing.T) {
	for _, c := range []struct {
		name     string
		software bool
		launches int
		idle     time.Duration
		solo     bool
		busy     float64 // least warm-up
		length   float64 // least sample
	}{
		{"quick", true, 3, 0, false, 0.1, 1e-3},
		{"quick", false, 3, 0, false, 0.1, 10e-3},
		{"default", true, 7, 0, true, 0.5, 1e-3},
		{"default", false, 7, 5 * time.Second, true, 0.5, 10e-3},
		{"release", false, 10, 5 * time.Second, true, 0.5, 10e-3},
	} {
		p, err := FindPreset(c.name, c.software)
		r := p.Rules
		if err != nil || p.Launches != c.launches || p.Idle != c.idle || p.Solo != c.solo || r.WarmMinBusy != c.busy || r.SampleLength != c.length {
			t.Errorf("%s, software %v: %+v, %v", c.name, c.software, p, err)
		}
		if r.WarmMinSamples != 5 || r.Window != 8 || r.Agreement != 0.005 || r.Trend != 0.10 || r.MinSamples != 20 || r.Step != 5 ||
			r.LongSample != 0.25 || r.MinLong != 3 || r.Precision != 0.01 || r.MaxSamples != 200 {
			t.Errorf("%s: rules %+v", c.name, r)
		}
		if c.name != "quick" && (r.WarmCap != 10 || r.MaxTime != 10) {
			t.Errorf("%s: caps %+v", c.name, r)
		}
	}
}
