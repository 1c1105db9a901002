// Package partition divides units of work over devices. A strategy is one
// function from a Request to contiguous shares in device order; Lookup finds it
// by its name or by the names its origins gave it.
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

// Request is what a strategy divides.
type Request struct {
	Units   int64 // length of the divided axis, 0 or more
	Count   int   // devices, 1 or more
	Granule int64 // cuts fall on multiples of Granule units; 0 counts as 1
}

// ErrRequest says that a request cannot be divided at all.
var ErrRequest = errors.New("invalid division")

func (r Request) check() error {
	switch {
	case r.Units < 0:
		return fmt.Errorf("%w: %d units, need 0 or more", ErrRequest, r.Units)
	case r.Count < 1:
		return fmt.Errorf("%w: %d devices, need at least 1", ErrRequest, r.Count)
	case r.Granule < 0:
		return fmt.Errorf("%w: granule of %d units, need 1 or more", ErrRequest, r.Granule)
	}
	return nil
}

// Strategy is a way to divide work.
type Strategy struct {
	Name    string
	Doc     string
	Aliases []string // names used by the projects it comes from
	// Divide returns Count contiguous shares that cover [0,Units). A share may be
	// empty, for example when there are more devices than units.
	Divide func(Request) ([]Share, error)
}

var strategies = []Strategy{
	{
		Name: "equal",
		Doc:  "the same number of units for every device, the remainder to the first devices",
		// EqualSplit and "balanced" are SuperVM's, BalancedPartitioner is from the
		// Amari design.
		Aliases: []string{"equalsplit", "balanced", "balancedpartitioner"},
		Divide:  Equal,
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

// Lookup finds a strategy by name or alias; case, '-' and '_' do not matter.
func Lookup(name string) (Strategy, error) {
	plain := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
	for _, s := range strategies {
		if s.Name == plain || slices.Contains(s.Aliases, plain) {
			return s, nil
		}
	}
	return Strategy{}, fmt.Errorf("unknown strategy %q: use %s", name, strings.Join(Names(), ", "))
}
