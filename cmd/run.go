package cmd

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	suitescale "github.com/amgpu/amgpu/suites/scale"
)

func runCommand(s streams) *cobra.Command {
	var m measureFlags
	c := &cobra.Command{
		Use:   "run [WORKLOAD..]",
		Short: "Measure workloads on each device alone, or on all of them as one team",
		Long: `Measures workloads on the chosen devices: each one alone, or with --team all of
them together. Results are verified and stored like those of scale.

` + exitCodes,
		Example: `  amgpu run
  amgpu run ga/product --size M --repeat 64
  amgpu run linalg/matmul --device 0 --device 2 -o run.json
  amgpu run automata/life --team --software 2
  amgpu run linalg/reduction memory/triad --size L --tune
  amgpu run --shader saxpy.spv --kernel saxpy.yaml
  amgpu run pinn/train --device 0 --param steps=3000 --checkpoint train.ckpt --samples 1`,
		RunE: func(c *cobra.Command, args []string) error {
			resumption, args, err := m.resumed("run", c.Flags(), args)
			if err != nil {
				return err
			}
			m.strategyGiven, m.limitsAsked = c.Flags().Changed("strategy"), limitsGiven(c.Flags())
			o, err := m.options(args)
			if err != nil {
				return err
			}
			if err := o.checkCheckpoint(c.Flags().Changed("every")); err != nil {
				return err
			}
			if o.resumption = resumption; resumption != nil && m.tune {
				return usage("--resume: a search for constants comes before a sweep: leave out --tune")
			}
			o.subsets = "all"
			if m.team {
				o.modeList = []string{suitescale.Strong}
			} else {
				o.solo, o.modeList = true, []string{suitescale.Solo}
			}
			return measureAll(c.Context(), s, o)
		},
	}
	m.add(c.Flags())
	m.addRun(c.Flags())
	return c
}

// addRun defines the flags that run has alone.
func (m *measureFlags) addRun(f *pflag.FlagSet) {
	m.checkpoint.add(f)
	f.BoolVar(&m.tune, "tune", false, "first search the constants of the workloads' kernels for the fastest; what is found is kept for later commands")
	f.BoolVar(&m.team, "team", false, "all chosen devices together as one team")
}
