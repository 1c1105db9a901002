package cmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

func reportCommand(s streams) *cobra.Command {
	var format, dir string
	var asJSON bool
	c := &cobra.Command{
		Use:   "report FILE..",
		Short: "Render results: terminal table, HTML, PNG, SVG, Markdown, CSV, JSON",
		Long: `Renders result files. Everything is recomputed from the samples; neither
Vulkan, a GPU nor a network is needed. Formats: ` + strings.Join(report.Formats(), ", ") + `.
Without -o one format goes to stdout; with it files go into the folder, for
several results into a folder of its own each.`,
		Example: `  amgpu report results.json
  amgpu report results.json --format html,png,csv -o out
  amgpu report results.json --format md >> $GITHUB_STEP_SUMMARY`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name at least one result file")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if asJSON {
				if format != "" && format != "json" {
					return usage("--json and --format %s: give one of them", format)
				}
				format = "json"
			}
			if format == "" {
				format = "text"
				if dir != "" {
					format = "html,png"
				}
			}
			chosen, err := formats(format)
			if err != nil {
				return err
			}
			return reportFiles(s, args, chosen, dir)
		},
	}
	c.Flags().StringVar(&format, "format", "", "`FORMATS`: "+strings.Join(report.Formats(), ", ")+" (default: text, with -o html,png)")
	c.Flags().StringVarP(&dir, "output", "o", "", "write files into `DIR`")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (short for --format json)")
	return c
}

// formats checks a list of format names.
func formats(text string) ([]string, error) {
	chosen := list(text)
	if len(chosen) == 0 {
		return nil, usage("--format is empty: use %s", strings.Join(report.Formats(), ", "))
	}
	for _, f := range chosen {
		if !slices.Contains(report.Formats(), f) {
			return nil, usage("--format %q: use %s", f, strings.Join(report.Formats(), ", "))
		}
	}
	return chosen, nil
}

// reportFiles reads every file before it renders the first: a bad one changes
// nothing.
func reportFiles(s streams, paths, formats []string, dir string) error {
	var all []*result.Result
	for _, path := range paths {
		res, err := result.Read(path, stat.Fill)
		if err != nil {
			if is(err, result.ErrMalformed, result.ErrNewer) {
				return err
			}
			return usage("%w; name a result file that `amgpu scale` or `amgpu run` wrote", err)
		}
		all = append(all, res)
	}
	if err := checkFolder(dir); err != nil {
		return err
	}
	for i, res := range all {
		into := dir
		if dir != "" && len(all) > 1 {
			name := filepath.Base(paths[i])
			into = filepath.Join(dir, fmt.Sprintf("%d-%s", i+1, strings.TrimSuffix(name, filepath.Ext(name))))
			if err := checkFolder(into); err != nil {
				return err
			}
		}
		if dir == "" && len(all) > 1 {
			s.say("%s:", paths[i])
		}
		if err := render(res, formats, into, s); err != nil {
			return err
		}
	}
	return nil
}

// render writes a result in some formats.
func render(res *result.Result, formats []string, dir string, s streams) error {
	paths, err := report.Render(res, formats, dir, s.Out)
	if err == nil && len(paths) > 0 {
		s.say("amgpu: wrote %s into %s", plural(len(paths), "file", "files"), dir)
	}
	return err
}
