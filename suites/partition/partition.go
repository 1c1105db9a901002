// Package partition divides units of work over devices: strategies, each one function
// from a Request to contiguous shares in device order; estimates of what a share takes;
// scores of devices; and the deal, which hands out chunks while devices work
// (--strategy dynamic). All of it is pure: times and rates come from the caller.
package partition

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Share is the half-open range of units [Lo,Hi) of one device.
type Share struct{ Lo, Hi int64 }

// Len is the number of units in the share.
func (s Share) Len() int64 { return s.Hi - s.Lo }

// Device is what is known of a device; 0 stands for not known.
type Device struct {
	Rate     float64 // units a second, measured alone
	Score    float64 // Score: replaced by Rate as soon as that is known
	Load     float64 // share of the device that others use, 0 to 1
	Free     int64   // bytes of memory
	Start    float64 // seconds before its first unit
	Transfer float64 // seconds to bring the data of one unit, where Rate does not hold it
}

// Request is what a strategy divides.
type Request struct {
	Units   int64 // length of the divided axis, 0 or more
	Count   int   // devices, 1 or more
	Granule int64 // cuts fall on multiples of Granule units; 0 counts as 1
	// Devices holds Count of them; empty: nothing is known, as for `equal` and
	// `sequential`.
	Devices []Device
	// UnitBytes is the memory of one unit, FixedBytes what a device takes besides.
	UnitBytes, FixedBytes int64
	Hint                  Hint // `latency` only
}

// Hint names the device that is to do the work. Its zero value is no hint, which is
// another thing than device 0.
type Hint struct {
	Given  bool
	Device int
}

// ErrRequest says that a request cannot be divided at all, ErrMemory that no device can
// hold its part.
var (
	ErrRequest = errors.New("invalid division")
	ErrMemory  = errors.New("no device has the memory for its part")
)

func (r Request) check() error {
	switch {
	case r.Units < 0:
		return fmt.Errorf("%w: %d units, need 0 or more", ErrRequest, r.Units)
	case r.Count < 1:
		return fmt.Errorf("%w: %d devices, need at least 1", ErrRequest, r.Count)
	case r.Granule < 0:
		return fmt.Errorf("%w: granule of %d units, need 1 or more", ErrRequest, r.Granule)
	case len(r.Devices) > 0 && len(r.Devices) != r.Count:
		return fmt.Errorf("%w: %d devices are described, %d take part", ErrRequest, len(r.Devices), r.Count)
	}
	return nil
}

// granules is the number of granules, the last one perhaps short.
func (r Request) granules() int64 {
	granule := max(r.Granule, 1)
	n := r.Units / granule
	if r.Units%granule != 0 {
		n++
	}
	return n
}

// shares turns numbers of granules into contiguous shares.
func (r Request) shares(granules []int64) []Share {
	out := make([]Share, len(granules))
	var first int64
	for i, n := range granules {
		out[i] = Share{Lo: at(first, max(r.Granule, 1), r.Units), Hi: at(first+n, max(r.Granule, 1), r.Units)}
		first += n
	}
	return out
}

// at is the unit at which granule number g starts, at most units (also where
// the product would overflow).
func at(g, granule, units int64) int64 {
	if g > units/granule {
		return units
	}
	return g * granule
}

// Strategy is a way to divide work.
type Strategy struct {
	Name    string
	Doc     string
	Aliases []string // names used by the projects it comes from
	// Divide returns Count contiguous shares that cover [0,Units). A share may be
	// empty, for example when there are more devices than units.
	Divide func(Request) ([]Share, error)
	// Rates says that it wants the devices' rates, measured alone.
	Rates bool
	// Dynamic says that shares are only where it begins: chunks are handed out while
	// the devices work, by a Deal.
	Dynamic bool
}

// Origins of the names: EqualSplit, ProportionalSplit and DynamicSplit are SuperVM's;
// the Partitioners are from the Amari design; balanced, memory and sequential are
// gPAC's; WeightedByCapability is gocuda's.
var strategies = []Strategy{
	{
		Name:    "equal",
		Doc:     "the same number of units for every device, the remainder to the first devices",
		Aliases: []string{"equalsplit", "balanced", "balancedpartitioner"},
		Divide:  Equal,
	},
	{
		Name:    "proportional",
		Doc:     "in proportion to what each device reaches alone, or to its score before that is known",
		Aliases: []string{"proportionalsplit", "capabilityaware", "capabilityawarepartitioner", "weightedbycapability"},
		Divide:  Proportional,
		Rates:   true,
	},
	{
		Name:    "memory",
		Doc:     "in proportion to free memory, without devices that cannot hold their part",
		Aliases: []string{"memoryaware", "memoryawarepartitioner"},
		Divide:  Memory,
	},
	{
		Name:    "latency",
		Doc:     "so that the last device is done as early as possible, start and transfer included",
		Aliases: []string{"latencyoptimized", "latencyoptimizedpartitioner"},
		Divide:  Latency,
		Rates:   true,
	},
	{
		Name:    "sequential",
		Doc:     "devices filled in turn with floor(n/N)+1 units; the last ones may idle",
		Aliases: []string{"sequentialsplit"},
		Divide:  Sequential,
	},
	{
		Name:    "dynamic",
		Doc:     "chunks handed out while the devices work (--assign)",
		Aliases: []string{"dynamicsplit"},
		Divide:  Dynamic,
		Dynamic: true,
	},
}

// Names lists the strategies' own names.
func Names() []string {
	out := make([]string, len(strategies))
	for i, s := range strategies {
		out[i] = s.Name
	}
	return out
}

// plain is a name as it is compared: case, '-' and '_' do not matter.
func plain(name string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
}

// Lookup finds a strategy by name or alias; case, '-' and '_' do not matter.
func Lookup(name string) (Strategy, error) {
	want := plain(name)
	for _, s := range strategies {
		if s.Name == want || slices.Contains(s.Aliases, want) {
			return s, nil
		}
	}
	return Strategy{}, lookupError(name)
}

func lookupError(name string) error {
	return fmt.Errorf("unknown strategy %q: use %s", name, strings.Join(Names(), ", "))
}
