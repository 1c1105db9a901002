package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// every calls f with each command that people see, and its name with hyphens.
func every(root *cobra.Command, f func(c *cobra.Command, name string)) {
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "completion" && c.Name() != "help" {
			f(c, strings.ReplaceAll(c.CommandPath(), " ", "-"))
			every(c, f)
		}
	}
}

func commands() *cobra.Command {
	var ran bool
	var patient atomic.Bool
	return newRoot(streams{&bytes.Buffer{}, &bytes.Buffer{}}, &ran, &patient)
}

// Every flag of every command is in its help, in its manual page and in the
// completion, with a text that says more than its name; every command has an example.
func TestFlagsAreDocumented(t *testing.T) {
	pages := t.TempDir()
	if code := Main([]string{"man", pages}, &bytes.Buffer{}, &bytes.Buffer{}); code != 0 {
		t.Fatalf("man: exit code %d", code)
	}
	flags := 0
	every(commands(), func(c *cobra.Command, name string) {
		if c.Example == "" || c.Short == "" {
			t.Errorf("%s has no example or no description", name)
		}
		var help, complete, complaint bytes.Buffer
		words := strings.Fields(c.CommandPath())[1:]
		if code := Main(append(words, "--help"), &help, &complaint); code != 0 {
			t.Fatalf("%s --help: exit code %d: %s", name, code, &complaint)
		}
		if code := Main(append(append([]string{"__complete"}, words...), "--"), &complete, &complaint); code != 0 {
			t.Fatalf("completion of %s: exit code %d: %s", name, code, &complaint)
		}
		page, err := os.ReadFile(filepath.Join(pages, name+".1"))
		if err != nil {
			t.Fatal(err)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			flags++
			if f.Hidden || len(f.Usage) < len(f.Name) || f.Usage == "" {
				t.Errorf("%s --%s: hidden or without a description", name, f.Name)
			}
			whole := regexp.MustCompile(`--` + regexp.QuoteMeta(f.Name) + `([^a-z-]|$)`)
			for where, text := range map[string]string{
				"help": help.String(), "completion": complete.String(),
				"manual page": strings.ReplaceAll(string(page), `\-`, "-"),
			} {
				if !whole.MatchString(text) {
					t.Errorf("%s --%s: not in the %s", name, f.Name, where)
				}
			}
		})
	})
	if flags < 50 {
		t.Errorf("only %d flags found", flags)
	}
}

// Every flag can be given in the environment too, which CI uses, and is refused there
// like on the line.
func TestFlagsHaveVariables(t *testing.T) {
	every(commands(), func(c *cobra.Command, name string) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !regexp.MustCompile(`^AMGPU_[A-Z_]+$`).MatchString(envName(f.Name)) {
				t.Errorf("%s --%s: variable %s", name, f.Name, envName(f.Name))
			}
		})
	})
	t.Setenv("AMGPU_TRACE", "no/such/folder/t.json")
	var stderr bytes.Buffer
	if code := Main([]string{"scale", "memory/triad", "--software", "1", "--size", "4096", "-o", filepath.Join(t.TempDir(), "r.json")}, &bytes.Buffer{}, &stderr); code != codeUsage || !strings.Contains(stderr.String(), "no/such/folder") {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
}
