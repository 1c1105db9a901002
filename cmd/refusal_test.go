package cmd

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// softwareLimits are about those of a software device.
var softwareLimits = suites.Limits{
	SharedBytes: 32 << 10, Invocations: 1024, SubgroupSize: 8, BindingBytes: 1 << 27, SoftwareClass: true, Class: suites.Software,
}

// lastBuilt keeps the program that a workload built last.
type lastBuilt struct {
	suites.Workload
	program *program.Program
}

func (l *lastBuilt) Build(b suites.Build) (p *program.Program, err error) {
	p, err = l.Workload.Build(b)
	l.program = p
	return p, err
}

// asked is what `run WORKLOAD --size SIZE --param ..` says before a device is opened, and
// the program, for a number of devices.
func asked(t *testing.T, w suites.Workload, split, size string, count int, params ...string) (*program.Program, error) {
	t.Helper()
	o, err := measureFlags{
		strategy: "equal", split: split, size: size, transport: "auto",
		residency: "resident", cache: "hot", formats: "html", roof: roofNone, params: params,
	}.options([]string{w.Info().ID})
	if err != nil {
		return nil, err
	}
	items, err := o.items(true)
	if err != nil {
		return nil, err
	}
	equal, err := partition.ParseDivision("equal")
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{division: equal, limits: softwareLimits}
	last := &lastBuilt{Workload: w}
	items[0].Workload = last
	c := scale.Cell{Item: items[0], Count: count, Total: items[0].Size.N, Key: result.Key{Workload: w.Info().ID, Mode: scale.Strong, Size: items[0].Size}}
	if err := m.check([]scale.Cell{c}); err != nil {
		return nil, err
	}
	return last.program, nil
}

// odd are values that a parameter may mind: around its ends and its default, primes, and
// some that are multiples of little.
func odd(p suites.Param) []int64 {
	list := []int64{
		math.MinInt64, -1, 0, 1, 2, 3, 5, 6, 7, 12, 13, 33, 65, 97, 127, 1001, math.MaxInt64,
		p.Min - 1, p.Min, p.Min + 1, p.Default - 1, p.Default + 1, p.Max - 1, p.Max, p.Max + 1,
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestOddParameters gives every parameter of every workload odd values, divided in its
// ways by turns: a program that holds together, or invalid input, which names workload, parameter
// and value.
func TestOddParameters(t *testing.T) {
	for _, w := range suites.All() {
		info := w.Info()
		for _, p := range info.Params {
			for k, v := range odd(p) {
				split, count := info.Splits[k%len(info.Splits)], 1+k%2
				given := fmt.Sprintf("%s=%d", p.Name, v)
				made, err := asked(t, w, split, "S", count, given)
				where := fmt.Sprintf("%s, split %s, %s", info.ID, split, given)
				switch {
				case err == nil:
					if err := suitetest.Invariants(made, count); err != nil {
						t.Errorf("%s: %v", where, err)
					}
					if err := p.Check(v); err != nil {
						t.Errorf("%s is taken: %v", where, err)
					}
				case codeFor(err) != codeUsage:
					t.Errorf("%s: code %d: %v", where, codeFor(err), err)
				case !strings.Contains(err.Error(), given) || !strings.Contains(err.Error(), info.ID):
					t.Errorf("%s is not named: %v", where, err)
				}
			}
		}
	}
}

// TestOddSizes asks every workload for small and prime sizes and some that none has.
func TestOddSizes(t *testing.T) {
	for _, w := range suites.All() {
		info := w.Info()
		for _, size := range []string{"-1", "0", "1", "2", "3", "7", "31", "33", "97", "127", "251", "257", "9223372036854775807", "9223372036854775808"} {
			for k, split := range info.Splits {
				for count := 1 + k%2; count < 9; count *= 3 {
					made, err := asked(t, w, split, size, count)
					where := fmt.Sprintf("%s, split %s, size %s, %d devices", info.ID, split, size, count)
					switch {
					case err == nil:
						if err := suitetest.Invariants(made, count); err != nil {
							t.Errorf("%s: %v", where, err)
						}
					case codeFor(err) != codeUsage || !strings.Contains(err.Error(), size) && !strings.Contains(err.Error(), info.ID):
						t.Errorf("%s: code %d: %v", where, codeFor(err), err)
					}
				}
			}
		}
	}
}

// picky refuses odd widths, two depths that are too deep together, and sizes above a
// limit of the devices.
type picky struct{ suites.Workload }

func (picky) Info() suites.Info {
	return suites.Info{ID: "test/picky", Sizes: suites.Sizes{S: 8, M: 64, L: 512}, Params: []suites.Param{
		{Name: "width", Max: 9}, {Name: "depth", Max: 9}, {Name: "height", Max: 9},
	}}
}

func (picky) Build(b suites.Build) (*program.Program, error) {
	p := b.Params
	if p["width"]%2 != 0 || p["depth"]+p["height"] > 4 || b.Size > 100 || b.Tuning["group"] > 4 {
		return nil, errors.New("test/picky: choose otherwise")
	}
	return &program.Program{}, nil
}

// TestWhatIsRefused: the parameters at fault are named, a size of the user's own is, and a
// standard size that does not fit is left to the launch.
func TestWhatIsRefused(t *testing.T) {
	group := []result.Constant{{Name: "group", Value: 8, From: result.FromGiven}}
	tuned := []result.Constant{{Name: "group", Value: 8, From: result.FromTuned}}
	for _, test := range []struct {
		label     string
		n         int64
		params    map[string]int64
		constants []result.Constant
		want      string // empty: left to the launch
	}{
		{"S", 8, nil, nil, ""},
		{"S", 8, map[string]int64{"width": 3, "depth": 2}, nil, "parameter width=3: choose otherwise"},
		{"S", 8, map[string]int64{"depth": 3, "height": 2}, nil, "parameter depth=3, parameter height=2: choose otherwise"},
		{"S", 8, map[string]int64{"depth": 5, "width": 1}, nil, "parameter width=1, parameter depth=5: choose otherwise"},
		{"S", 8, nil, group, "constant group=8: choose otherwise"},
		{"S", 8, nil, tuned, ""},
		{"custom", 50, map[string]int64{"width": 3}, nil, "parameter width=3: choose otherwise"},
		{"custom", 500, nil, nil, "test/picky, strong, 2 GPUs: choose otherwise"},
		{"custom", 500, map[string]int64{"depth": 1}, nil, "test/picky, strong, 2 GPUs: choose otherwise"},
		{"L", 512, nil, nil, ""},
		{"L", 512, map[string]int64{"depth": 1}, nil, ""},
	} {
		size := result.Size{Label: test.label, N: test.n}
		c := scale.Cell{Key: result.Key{Workload: "test/picky", Mode: scale.Strong, Size: size}, Count: 2, Total: test.n,
			Item: scale.Item{Workload: picky{}, Params: map[string]int64{}, Constants: test.constants, Size: size}}
		for _, p := range (picky{}).Info().Params {
			c.Item.Params[p.Name] = test.params[p.Name]
		}
		err := (&machine{}).check([]scale.Cell{c})
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%+v: %v", test, err)
		case test.want != "" && (codeFor(err) != codeUsage || !strings.HasSuffix(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "test/picky")):
			t.Errorf("%+v: code %d: %v", test, codeFor(err), err)
		}
	}
}
