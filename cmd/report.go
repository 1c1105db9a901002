package cmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/result"
)

func reportCommand(s streams) *cobra.Command {
	var format, dir, predict string
	var asJSON bool
	var imports, history []string
	var o report.Options
	c := &cobra.Command{
		Use:   "report FILE..",
		Short: "Render results: terminal table, HTML, PNG, Markdown, CSV, trace, and what CI tools read",
		Long: `Renders result files. Everything is recomputed from the samples; neither
Vulkan, a GPU nor a network is needed. Formats: ` + strings.Join(report.Formats(), ", ") + `.
Without -o one format goes to stdout; with it files go into the folder, for
several results into a folder of its own each. html puts several results side by
side on one page: on stdout, or with -o in report.html beside those folders. junit is for any CI, benchfmt for
benchstat, bmf for Bencher, openmetrics for Prometheus, csv for pandas and R, trace
for ui.perfetto.dev (docs/formats.md).

--import brings anybody's scaling data under the same laws, intervals and plots:
a table (CSV) with the columns count and seconds or rate, and optional workload,
mode (strong, weak), size (of one GPU in weak mode) and unit (of the rate).
Repeated rows are repetitions; without them no interval is given.

--history DIR adds to html how every row changed over the results in a folder, with
the changes of its level that amgpu gate --history finds; without a FILE the
page is that of the latest result there.

--predict says what the law that the counts identify expects at other counts:
the universal scalability law, else Amdahl's (strong) or Gustafson's (weak).`,
		Example: `  amgpu report results.json
  amgpu report results.json --format html,png,csv -o out
  amgpu report results.json --format md >> $GITHUB_STEP_SUMMARY
  amgpu report results.json --format benchfmt > new.txt && benchstat old.txt new.txt
  amgpu report results.json --format junit,openmetrics,trace -o out
  amgpu report results.json --predict 8,16 --factors
  amgpu report old.json new.json --format html > compared.html
  amgpu report --history results/ --format html > trend.html
  amgpu report --import scaling.csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args)+len(imports) == 0 && len(history) == 0 {
				return errors.New("name at least one result file, or a table with --import")
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
				if len(history) > 0 {
					format = "html"
				} else if dir != "" {
					format = "html,png"
				}
			}
			chosen, err := formats(format)
			if err != nil {
				return err
			}
			if dir == "" && len(chosen) > 1 {
				return usage("%d formats on stdout would be no file of any: name a folder with -o", len(chosen))
			}
			if o.Predict, err = predictions(predict); err != nil {
				return err
			}
			if o.Far && len(o.Predict) == 0 {
				return usage("--far without --predict: name the counts to predict")
			}
			from := sources(args, imports)
			if len(history) > 0 {
				if !slices.Contains(chosen, "html") {
					return usage("--history is drawn by --format html; `amgpu gate --history %s` prints it", strings.Join(history, " --history "))
				}
				var latest string
				if o.History, latest, err = historyOf(history); err != nil {
					return err
				}
				if len(from) == 0 {
					from = sources([]string{latest}, nil)
				}
			}
			return reportFiles(s, from, chosen, dir, o)
		},
	}
	c.Flags().StringVar(&format, "format", "", "`FORMATS`: "+strings.Join(report.Formats(), ", ")+" (default: text, with -o html,png)")
	c.Flags().StringVarP(&dir, "output", "o", "", "write files into `DIR`")
	c.Flags().StringArrayVar(&imports, "import", nil, "read scaling data from a table, `FILE.csv` (repeatable)")
	c.Flags().StringArrayVar(&history, "history", nil, "html: show how the rows changed over the results in folder `DIR` (repeatable)")
	c.Flags().StringVar(&predict, "predict", "", "predict these `COUNTS`, such as 8,16, by the law that fits")
	c.Flags().BoolVar(&o.Far, "far", false, "predict beyond twice the largest count measured as well")
	c.Flags().BoolVar(&o.Factors, "factors", false, "text and md: print what each efficiency is made of")
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

// thrifty has memory that is not used any more collected at half of what is used, unless
// GOGC says otherwise: of a large result nearly all is used to the end, so that the usual
// twice as much is most of what a command takes.
func thrifty() {
	if before := debug.SetGCPercent(50); before != 100 {
		debug.SetGCPercent(before)
	}
}

// reportFiles reads every file before it renders the first: a bad one changes
// nothing.
func reportFiles(s streams, from []source, formats []string, dir string, o report.Options) error {
	thrifty()
	var all []*result.Result
	for _, f := range from {
		res, err := f.read(f.path)
		if err != nil {
			return err
		}
		all = append(all, res)
	}
	if err := checkFolder(dir); err != nil {
		return err
	}
	together := len(all) > 1 && slices.Contains(formats, "html")
	if together && dir == "" {
		// One page on stdout holds them all; two documents in one file would be none.
		formats = slices.DeleteFunc(slices.Clone(formats), func(f string) bool { return f == "html" })
	}
	for i, res := range all {
		if len(formats) == 0 {
			break
		}
		into := dir
		if dir != "" && len(all) > 1 {
			name := filepath.Base(from[i].path)
			into = filepath.Join(dir, fmt.Sprintf("%d-%s", i+1, strings.TrimSuffix(name, filepath.Ext(name))))
			if err := checkFolder(into); err != nil {
				return err
			}
		}
		if dir == "" && len(all) > 1 {
			s.say("%s:", from[i].path)
		}
		if err := renderWith(res, formats, into, s, o); err != nil {
			return err
		}
	}
	if !together {
		return nil
	}
	var named []report.Named
	for i, res := range all {
		named = append(named, report.Named{Name: from[i].path, Result: res})
	}
	paths, err := report.Together(named, dir, s.Out, o)
	if err == nil && len(paths) > 0 {
		s.say("amgpu: wrote the comparison of %d results into %s", len(all), paths[0])
	}
	return err
}

// render writes a result in some formats.
func render(res *result.Result, formats []string, dir string, s streams) error {
	return renderWith(res, formats, dir, s, report.Options{})
}

func renderWith(res *result.Result, formats []string, dir string, s streams, o report.Options) error {
	paths, err := report.RenderWith(res, formats, dir, s.Out, o)
	if err == nil && len(paths) > 0 {
		s.say("amgpu: wrote %s into %s", plural(len(paths), "file", "files"), dir)
	}
	return err
}
