package partition

import "strings"

// Division is a strategy and, where it is dynamic, the rule by which chunks are handed
// out.
type Division struct {
	Strategy Strategy
	Assign   Assign
}

// Name is the division as results store it: the strategy's name, with the rule behind it
// where that is not the default: dynamic:weighted.
func (d Division) Name() string {
	if d.Strategy.Dynamic && d.Assign.Name != assigns[0].Name {
		return d.Strategy.Name + ":" + d.Assign.Name
	}
	return d.Strategy.Name
}

// ParseDivision reads such a name; names of origins are understood, too.
func ParseDivision(name string) (Division, error) {
	strategy, rule, ruled := strings.Cut(name, ":")
	s, err := Lookup(strategy)
	if err != nil {
		return Division{}, err
	}
	d := Division{Strategy: s, Assign: assigns[0]}
	if !ruled {
		return d, nil
	}
	if !s.Dynamic { // it has no rule
		return Division{}, lookupError(name)
	}
	d.Assign, err = LookupAssign(rule)
	return d, err
}
