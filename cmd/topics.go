package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/gate"
)

// topics are pages of `amgpu help` that belong to no single command. Without a run
// function cobra lists them as additional help topics and prints their text.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{
			Use:   "exit-codes",
			Short: "What each exit code means, and which wins when several apply",
			Long:  exitCodes,
		},
		{
			Use:   "formats",
			Short: "The formats of report and gate, and what each is for",
			Long:  formatsText(),
		},
	}
}

// formatUse says what a format is for. Which formats there are, the packages that
// write them know.
var formatUse = map[string]string{
	"text":        "tables for a terminal",
	"html":        "one self-contained page: tables, plots, raw numbers; needs no network",
	"png":         "plots, one file for each workload and kind; needs -o DIR",
	"svg":         "the same plots as vector graphics; needs -o DIR",
	"md":          "Markdown, for job summaries and issues",
	"csv":         "one line per row, for spreadsheets, pandas and R",
	"json":        "the result with its summary recomputed, for programs",
	"junit":       "test report in XML, for CI systems",
	"github":      "annotations of GitHub Actions, at most ten of a kind",
	"targets":     "Markdown page of the targets in the rules: met or missed, by how much, whose",
	"benchfmt":    "the format of Go benchmarks, for benchstat",
	"bmf":         "Bencher metric format, for Bencher",
	"openmetrics": "OpenMetrics text, for Prometheus",
	"trace":       "events in time, for Perfetto and chrome://tracing",
}

// formatsText lists the formats of both commands.
func formatsText() string {
	var b strings.Builder
	part := func(title string, names []string, other map[string]string) {
		fmt.Fprintf(&b, "%s\n\n", title)
		for _, name := range names {
			use, ok := other[name]
			if !ok {
				use = formatUse[name]
			}
			fmt.Fprintf(&b, "    %-12s %s\n", name, use)
		}
	}
	part("amgpu report FILE.. --format NAME,..", report.Formats(), nil)
	b.WriteString("\n")
	part("amgpu gate BASE NEW --format NAME", gate.Formats(), map[string]string{
		"text": "a line per row, for a terminal",
		"json": "every verdict with effect, interval and reason, for programs",
	})
	b.WriteString("\nBoth recompute everything from the samples of the result file (JSON, schema\namgpu/v1), so a result can be rendered again in any format later.")
	return b.String()
}

// helpCommand is cobra's, except that an unknown topic is an error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Help about a command or a topic",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if len(args) == 0 {
				for _, sub := range c.Root().Commands() {
					if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
						names = append(names, sub.Name()+"\t"+sub.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return &exitError{
					code: codeUsage,
					err:  fmt.Errorf("help: no command or topic %q", strings.Join(args, " ")),
					hint: "`amgpu help` lists both",
				}
			}
			found.InitDefaultHelpFlag() // so that the usage names it
			return found.Help()
		},
	}
}
