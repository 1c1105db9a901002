package cmd

import (
	"fmt"
	"io"
	"path"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/all" // registers every workload
)

// workloadJSON is one workload of `suites --json`.
type workloadJSON struct {
	ID            string           `json:"id"`
	Number        uint32           `json:"number"`
	Doc           string           `json:"doc"`
	Source        string           `json:"source"`
	Formula       string           `json:"formula"`
	Sizes         map[string]int64 `json:"sizes"`
	SizeUnit      string           `json:"size_unit"`
	Note          string           `json:"note,omitempty"`   // on the sizes
	Layout        string           `json:"layout,omitempty"` // of the elements of a unit
	Arrays        []arrayJSON      `json:"arrays"`
	WorkUnit      string           `json:"work_unit"`
	Flops         string           `json:"flops"`
	Bytes         string           `json:"bytes"`
	Splits        []string         `json:"splits"`
	Algorithms    []string         `json:"algorithms"`
	Communication string           `json:"communication"`
	Tolerance     string           `json:"tolerance"`
	Weak          string           `json:"weak"`
	Features      []string         `json:"features"`
	Residency     string           `json:"residency,omitempty"` // the only one
	Arithmetic    string           `json:"arithmetic"`          // roof that flops are held against
	Roof          string           `json:"roof,omitempty"`      // that it measures
	Params        []paramJSON      `json:"params"`
	Constants     []constantJSON   `json:"constants"`
	ReadsInput    bool             `json:"reads_input"`
	State         []string         `json:"state"`
}

type paramJSON struct {
	Name     string `json:"name"`
	Doc      string `json:"doc"`
	Default  int64  `json:"default"`
	Min      int64  `json:"min"`
	Max      int64  `json:"max"`
	Multiple int64  `json:"multiple,omitempty"` // only multiples of it are taken
}

// constantJSON is a constant of a workload's kernels that --tune searches.
type constantJSON struct {
	Name     string        `json:"name"`
	Doc      string        `json:"doc"`
	Values   []int64       `json:"values"`
	Defaults []defaultJSON `json:"defaults"`
}

// defaultJSON is the default on one class of devices. Measured: it was found there; else
// why says where it comes from.
type defaultJSON struct {
	Class    suites.Class `json:"class"`
	Value    int64        `json:"value"`
	Measured bool         `json:"measured"`
	Why      string       `json:"why,omitempty"`
}

func describeConstant(t suites.Tunable) constantJSON {
	out := constantJSON{Name: t.Name, Doc: t.Doc, Values: t.Values}
	for _, class := range suites.Classes() {
		d := defaultJSON{Class: class, Value: t.For(class), Measured: class.Measured()}
		for _, e := range t.Else {
			if e.Class == class {
				d.Why = e.Why
			}
		}
		out.Defaults = append(out.Defaults, d)
	}
	return out
}

// text is the constant on one line: what was measured first, then what differs from it.
func (k constantJSON) text() string {
	text := fmt.Sprintf("%s (one of %s; default %d", k.Doc, strings.Trim(strings.ReplaceAll(fmt.Sprint(k.Values), " ", ", "), "[]"), k.Defaults[0].Value)
	for _, d := range k.Defaults {
		if d.Value != k.Defaults[0].Value {
			text += fmt.Sprintf(", %s %d", d.Class, d.Value)
		}
	}
	return text + ")"
}

func describe(i suites.Info) workloadJSON {
	w := workloadJSON{
		ID: i.ID, Number: i.Number, Doc: i.Doc, Source: i.Source, Formula: i.Formula,
		Sizes:    map[string]int64{"S": i.Sizes.S, "M": i.Sizes.M, "L": i.Sizes.L},
		SizeUnit: i.SizeUnit, Note: i.Note, Layout: i.Layout, WorkUnit: i.WorkUnit, Flops: i.Flops, Bytes: i.Bytes,
		Splits: append([]string{}, i.Splits...), Algorithms: append([]string{}, i.Algorithms...),
		Communication: i.Communication, Tolerance: i.Tolerance, Weak: i.Weak,
		Features: append([]string{}, i.Features...), Params: []paramJSON{}, Constants: []constantJSON{}, ReadsInput: i.ReadsInput, Residency: i.Residency, State: append([]string{}, i.State...),
	}
	if w.Arithmetic, w.Roof = i.Arithmetic, i.Roof; w.Arithmetic == "" {
		w.Arithmetic = result.DefaultArithmetic
	}
	for _, p := range i.Params {
		w.Params = append(w.Params, paramJSON(p))
	}
	for _, t := range i.Tunables {
		w.Constants = append(w.Constants, describeConstant(t))
	}
	return w
}

func suitesCommand(s streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "suites [WORKLOAD..]",
		Short: "List the workloads, or describe some in detail",
		Example: `  amgpu suites
  amgpu suites linalg/matmul
  amgpu suites --json`,
		RunE: func(_ *cobra.Command, args []string) error {
			chosen := suites.All()
			if len(args) > 0 {
				var err error
				if chosen, err = findWorkloads(args); err != nil {
					return err
				}
			}
			infos := make([]workloadJSON, len(chosen))
			for i, w := range chosen {
				infos[i] = describe(w.Info())
				if !asJSON && len(args) == 0 {
					continue // no arrays are printed
				}
				var err error
				if infos[i].Arrays, err = arraysOf(w); err != nil {
					return err
				}
			}
			switch {
			case asJSON:
				return printJSON(s, map[string]any{"workloads": infos})
			case len(args) > 0:
				return printDetails(s.Out, infos)
			}
			return printWorkloads(s.Out, infos, columns(s.Out))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// findWorkloads looks the ids up, each once.
func findWorkloads(ids []string) ([]suites.Workload, error) {
	var out []suites.Workload
	seen := map[string]bool{}
	for _, id := range ids {
		found, err := matching(id)
		if err != nil {
			return nil, err
		}
		for _, w := range found {
			if id := w.Info().ID; !seen[id] {
				seen[id] = true
				out = append(out, w)
			}
		}
	}
	return out, nil
}

// matching are the workloads that a name or a pattern such as peak/* stands for.
func matching(id string) (out []suites.Workload, err error) {
	if !strings.ContainsAny(id, `*?[`) {
		w, err := suites.Find(id)
		if err != nil {
			return nil, usage("%w", err)
		}
		return []suites.Workload{w}, nil
	}
	for _, w := range suites.All() {
		ok, err := path.Match(id, w.Info().ID)
		if err != nil {
			return nil, usage("workload %q: the pattern is malformed: %w", id, err)
		}
		if ok {
			out = append(out, w)
		}
	}
	if len(out) == 0 {
		return nil, usage("no workload matches %q: `amgpu suites` lists all", id)
	}
	return out, nil
}

func printDetails(out io.Writer, infos []workloadJSON) error {
	for n, i := range infos {
		if n > 0 {
			if _, err := fmt.Fprintln(out); err != nil {
				return err
			}
		}
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		line := func(name, value string) {
			if value != "" {
				_, _ = fmt.Fprintf(t, "  %s\t%s\n", name, value) // errors show at Flush
			}
		}
		_, _ = fmt.Fprintf(t, "%s (W%02d)\n", i.ID, i.Number)
		line("what", i.Doc)
		line("formula", i.Formula)
		line("source", i.Source)
		line("sizes", fmt.Sprintf("S %d, M %d, L %d %s", i.Sizes["S"], i.Sizes["M"], i.Sizes["L"], i.SizeUnit))
		if i.Note != "" {
			_, _ = fmt.Fprintf(t, "\t%s\n", i.Note)
		}
		for k, text := range i.layoutText() {
			if k == 0 {
				line("layout", text)
			} else {
				_, _ = fmt.Fprintf(t, "\t%s\n", text)
			}
		}
		line("rate in", i.WorkUnit+"/s")
		line("operations", i.Flops)
		line("bytes", i.Bytes)
		if i.Arithmetic != result.NoArithmetic {
			line("held against", i.Arithmetic+" and memory")
		}
		line("measures", prefixed("the roof ", i.Roof))
		line("residency", i.Residency)
		line("splits", strings.Join(i.Splits, ", "))
		line("communication", i.Communication)
		line("algorithms", strings.Join(i.Algorithms, ", "))
		line("weak scaling", i.Weak)
		line("tolerance", i.Tolerance)
		line("needs", strings.Join(i.Features, ", "))
		for _, p := range i.Params {
			line("--param "+p.Name, fmt.Sprintf("%s (%d to %d, default %d)", p.Doc, p.Min, p.Max, p.Default))
		}
		for _, k := range i.Constants {
			line("--constant "+k.Name, k.text())
		}
		if i.ReadsInput {
			line("--input FILE", "read as its data")
		}
		if len(i.State) > 0 {
			line("--checkpoint FILE", "a long iteration is saved there and continued: "+strings.Join(i.State, ", "))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}
