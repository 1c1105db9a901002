package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	suitescale "github.com/amgpu/amgpu/suites/scale"
)

func scaleCommand(s streams) *cobra.Command {
	var m measureFlags
	c := &cobra.Command{
		Use:   "scale [WORKLOAD..]",
		Short: "Measure strong and weak scaling over GPU counts",
		Long: `Measures workloads on growing numbers of GPUs: strong scaling keeps the total
size, weak scaling the size per GPU. Without a workload it runs the quick set in
a minute or two; named workloads or --preset bring the full protocol.

` + exitCodes,
		Example: `  amgpu scale
  amgpu scale --software 2 --gpus 1,2
  amgpu scale ga/product linalg/matmul --gpus 1,2,4 --mode strong,weak --size M -o results.json
  amgpu scale linalg/matmul --gpus 1-4 --preset release --report out
  amgpu scale --shader saxpy.spv --kernel saxpy.yaml`,
		RunE: func(c *cobra.Command, args []string) error {
			resumption, args, err := m.resumed("scale", c.Flags(), args)
			if err != nil {
				return err
			}
			m.strategyGiven, m.limitsAsked = c.Flags().Changed("strategy"), limitsGiven(c.Flags())
			o, err := m.options(args)
			if err != nil {
				return err
			}
			o.resumption = resumption
			if err := o.forecasts.check(inJob()); err != nil {
				return err
			}
			if m.input != "" && !c.Flags().Changed("mode") {
				o.modeList = []string{suitescale.Strong} // a file has one size
			}
			if m.nodes != "" && !inJob() {
				return usage("--nodes %s: nodes are those of an MPI job, and this process is none: start amgpu-mpi (make build-mpi) by mpirun or srun, as docs/cluster.md says, or use --gpus", m.nodes)
			}
			if m.plan != "" {
				if err := planAlone(c.Flags(), args); err != nil {
					return err
				}
			}
			if m.selfTest {
				// Rotated subsets would compare cards, not the same thing twice.
				o.subsets = "first"
			}
			return measureAll(c.Context(), s, o)
		},
	}
	m.add(c.Flags())
	m.addScale(c.Flags())
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if strings.HasPrefix(err.Error(), "unknown flag: --checkpoint") || strings.HasPrefix(err.Error(), "unknown flag: --every") {
			return fmt.Errorf("%w: it is of `amgpu run`; a sweep that was interrupted goes on with --resume FILE", err)
		}
		return nearest(c, err)
	})
	return c
}

// addScale defines the flags that scale has alone.
func (m *measureFlags) addScale(f *pflag.FlagSet) {
	f.StringVar(&m.gpus, "gpus", "", "`COUNTS` of GPUs to measure: 1,2,4 or 1-4 or 1,2,all (default: powers of two up to the pool, and the pool)")
	f.StringVar(&m.nodes, "nodes", "", "`COUNTS` of whole nodes of an MPI job to measure, like --gpus and beside it: 1,2,4")
	f.StringVar(&m.modes, "mode", "strong,weak", "`MODES`: strong keeps the total size, weak the size per GPU")
	f.StringVar(&m.subsets, "subsets", "rotate", "devices of a count below the pool: "+strings.Join(suitescale.SubsetRules, ", "))
	f.StringVar(&m.plan, "plan", "", "replay the plan stored in result `FILE`: the same launches in the same order")
	f.StringVar(&m.trace, "trace", "", "also write the timeline into `FILE`, which ui.perfetto.dev opens")
	f.StringVar(&m.predictNodes, "predict-nodes", "", "predict these `NODES`, such as 8,64,512, by a cost model from what was measured")
	f.StringVar(&m.network, "network", "", "latency and bandwidth between nodes for --predict-nodes, such as `2us,25GB/s` (default: fitted on the MPI job)")
	f.BoolVar(&m.selfTest, "self-test", false, "measure A/A: every launch twice, in turns, to find the noise floor and the smallest detectable change of this machine")
}
