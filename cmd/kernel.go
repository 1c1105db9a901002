package cmd

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/own"
)

func kernelCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "kernel",
		Short: "Describe a SPIR-V kernel of your own, to measure it with run and scale",
		Example: `  amgpu kernel init saxpy.spv > saxpy.yaml
  amgpu scale --shader saxpy.spv --kernel saxpy.yaml`,
		Args: noSuch,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(&cobra.Command{
		Use:   "init FILE.spv",
		Short: "Print a description to begin with, made from what the module declares",
		Long: `Reads a SPIR-V module and prints a description of it in YAML: its bindings, push
constants, specialization constants and work-groups. Complete it with what only
you know: sizes, fills, the expected output, operations and bytes.

` + exitCodes,
		Example: `  amgpu kernel init saxpy.spv > saxpy.yaml`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("kernel init takes one SPIR-V file, %d were given", len(args))
			}
			m, err := own.ReadModule(args[0])
			if err != nil {
				return usage("%w", err)
			}
			_, err = io.WriteString(s.Out, own.Starter(m, args[0]))
			return err
		},
	})
	return c
}

// noteKernel keeps in the result which module was measured, and the doubt that its
// outputs were not compared with anything.
func (m *measurement) noteKernel() {
	for _, item := range m.config.Items {
		w, ok := item.Workload.(*own.Workload)
		if !ok {
			continue
		}
		m.header.Plan.Shader = w.Hash()
		if w.Unchecked() {
			m.header.Warnings = append(m.header.Warnings, result.Warning{Code: "unchecked", Text: w.Info().ID + " has no expected output: nothing shows that it computes the right thing, as results are only compared between counts, where there are several"})
		}
	}
}

// ownKernel is the workload of --shader and --kernel; nil when neither is given.
func (m measureFlags) ownKernel(ids []string) (suites.Workload, error) {
	switch {
	case m.shader == "" && m.kernel == "":
		return nil, nil
	case m.shader == "":
		return nil, usage("--kernel describes a shader: give it with --shader FILE.spv")
	case m.kernel == "":
		return nil, usage("--shader needs a description: give it with --kernel FILE.yaml; `amgpu kernel init %s` prints one to begin with", m.shader)
	case len(ids) > 0:
		return nil, usage("--shader is what is measured: name no workload beside it")
	}
	w, err := own.Load(context.Background(), m.shader, m.kernel)
	if err != nil {
		return nil, usage("%w", err)
	}
	if id := w.Info().ID; m.plan != "" || m.resume != "" { // the plan names its workloads
		if _, err := suites.Find(id); err != nil {
			suites.Register(w)
		}
	}
	return w, nil
}
