package cmd

import (
	"fmt"

	"github.com/spf13/pflag"
)

// once is the value of a flag that takes one value: a second one that differs is refused.
// Otherwise the last would win and the first be left out without a word, such as the
// limits in one of two rules files.
type once struct {
	value *string
	given bool
}

// onceVar adds such a flag.
func onceVar(f *pflag.FlagSet, value *string, name, short, use string) {
	f.VarP(&once{value: value}, name, short, use)
}

func (o *once) String() string { return *o.value }
func (o *once) Type() string   { return "string" }

// Set is called for every occurrence of the flag.
func (o *once) Set(v string) error {
	if o.given && v != *o.value {
		return fmt.Errorf("it is %q already: give the flag once", *o.value)
	}
	*o.value, o.given = v, true
	return nil
}
