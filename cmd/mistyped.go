package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/amgpu/amgpu/internal/near"
)

// nearest adds the flag that was meant to the complaint about one that c does not have, and
// says what a flag takes instead of a value that it refuses.
func nearest(c *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return badValue(c, bad)
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	name := unknown.GetSpecifiedName()
	if name == "" || len(name) == 1 {
		return err
	}
	if at := near.Name("--"+name, known); at != "" {
		return usageHint(err, "did you mean "+at+"? `"+c.CommandPath()+" -h` lists its flags")
	}
	return usageHint(err, "`"+c.CommandPath()+" -h` lists its flags")
}

// badValue is a value of a flag that cannot be read, in the words in which those are
// refused that can.
func badValue(c *cobra.Command, bad *pflag.InvalidValueError) error {
	f, value := bad.GetFlag(), bad.GetValue()
	if value == "" {
		return emptyFlag(f)
	}
	if _, own := f.Value.(*once); own { // says itself what is wrong
		return bad
	}
	return usageHint(fmt.Errorf("--%s %w", f.Name, wanted(f, value, bad)), "`"+c.CommandPath()+" -h` says what the flag means")
}

// emptyFlag refuses a flag without a value.
func emptyFlag(f *pflag.Flag) error {
	return usage("--%s is empty: give it a value or leave it out", f.Name)
}

// noSuch refuses a word after a command that takes none, and names the subcommand or
// topic that was meant.
func noSuch(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !c.HasSubCommands() {
		return usageHint(fmt.Errorf("%s takes no argument: %q", c.CommandPath(), args[0]), "`"+c.CommandPath()+" -h` lists its flags")
	}
	err := cobra.NoArgs(c, args)
	var known []string
	for _, sub := range c.Commands() {
		known = append(known, sub.Name())
	}
	if at := near.Name(args[0], known); at != "" {
		return usageHint(err, "did you mean `"+c.CommandPath()+" "+at+"`?")
	}
	return usageHint(err, "there is "+strings.Join(known, ", ")+"; `"+c.CommandPath()+" -h` says what for")
}

// usageHint is invalid input with what to do about it.
func usageHint(err error, hint string) error {
	return &exitError{code: codeUsage, err: err, hint: hint}
}
