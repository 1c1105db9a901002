package cmd

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk/peer"
)

// complete teaches the shells what can follow: workloads after the commands that take
// them, the values of flags that have a fixed set. Other flags complete to file names.
func complete(root *cobra.Command) {
	values := map[string][]string{
		"preset": scale.PresetNames, "strategy": partition.Names(), "assign": partition.AssignNames(), "transport": append([]string{"auto"}, peer.Names()...),
		"roof":      roofRules,
		"residency": append([]string{"both"}, scale.Residencies...), "cache": append([]string{"both"}, scale.Caches...),
		"mode": {scale.Strong, scale.Weak}, "subsets": scale.SubsetRules, "size": {"S", "M", "L", fillSize},
		"format": report.Formats(), "across": gate.Fields(),
	}
	lists := map[string]bool{"mode": true, "format": true}
	for _, c := range root.Commands() {
		switch c.Name() {
		case "run", "scale", "suites":
			c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
				return workloadNames(args), cobra.ShellCompDirectiveNoFileComp
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			known, ok := values[f.Name]
			if !ok {
				return
			}
			list := lists[f.Name]
			if c.Name() == "gate" && f.Name == "format" {
				known, list = gate.Formats(), false
			}
			// It fails for an unknown flag only, and this one was just seen.
			_ = c.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				return choicesAfter(known, typed, list), cobra.ShellCompDirectiveNoFileComp
			})
		})
	}
}

// refuseOtherShells makes `completion SHELL` an error for a shell that it does not know;
// by itself cobra prints its help and is content.
func refuseOtherShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		var shells []string
		for _, shell := range c.Commands() {
			shells = append(shells, shell.Name())
		}
		c.Args = func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("completion: no script for %q; there is one for %s", args[0], strings.Join(shells, ", "))
			}
			return nil
		}
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
}

// choicesAfter are the known values; in a list, those that may come after the last comma.
func choicesAfter(known []string, typed string, list bool) []string {
	at := strings.LastIndex(typed, ",")
	if !list || at < 0 {
		return known
	}
	var out []string
	for _, v := range known {
		if !strings.Contains(","+typed[:at]+",", ","+v+",") {
			out = append(out, typed[:at+1]+v)
		}
	}
	return out
}

// workloadNames are the workloads not named yet, with what they are.
func workloadNames(named []string) []string {
	var out []string
	for _, w := range suites.All() {
		info := w.Info()
		if !strings.Contains(" "+strings.Join(named, " ")+" ", " "+info.ID+" ") {
			out = append(out, info.ID+"\t"+info.Doc)
		}
	}
	return out
}
