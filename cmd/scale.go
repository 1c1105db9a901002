package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
			resumption, err := m.resumed(c.Flags(), args)
			if err != nil {
				return err
			}
			m.strategyGiven = c.Flags().Changed("strategy")
			o, err := m.options(args)
			if err != nil {
				return err
			}
			o.resumption = resumption
			if o.forecasts, err = m.forecastFlags.read(inJob()); err != nil {
				return err
			}
			if m.input != "" && !c.Flags().Changed("mode") {
				m.modes = suitescale.Strong // a file has one size
			}
			o.modeList = list(m.modes)
			for _, mode := range o.modeList {
				if mode != suitescale.Strong && mode != suitescale.Weak {
					return usage("--mode %q: use strong, weak or strong,weak", mode)
				}
			}
			if len(o.modeList) == 0 {
				return usage("--mode is empty: use strong, weak or strong,weak")
			}
			if !slices.Contains(suitescale.SubsetRules, m.subsets) {
				return usage("--subsets %q: use %s", m.subsets, strings.Join(suitescale.SubsetRules, ", "))
			}
			if m.gpus != "" { // the syntax needs no pool
				if _, err := parseCounts(m.gpus, 0); err != nil {
					return usage("--gpus %w", err)
				}
			}
			if m.nodes != "" && !inJob() {
				return usage("--nodes %s: nodes are those of an MPI job, and this process is none: start amgpu-mpi (make build-mpi) by mpirun or srun, as docs/cluster.md says, or use --gpus", m.nodes)
			}
			if m.nodes != "" {
				if _, err := parseCounts(m.nodes, 0); err != nil {
					return usage("--nodes %w", err)
				}
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
	c.Flags().StringVar(&m.gpus, "gpus", "", "`COUNTS` of GPUs to measure: 1,2,4 or 1-4 or 1,2,all (default: powers of two up to the pool, and the pool)")
	c.Flags().StringVar(&m.nodes, "nodes", "", "`COUNTS` of whole nodes of an MPI job to measure, like --gpus and beside it: 1,2,4")
	c.Flags().StringVar(&m.modes, "mode", "strong,weak", "`MODES`: strong keeps the total size, weak the size per GPU")
	c.Flags().StringVar(&m.subsets, "subsets", "rotate", "devices of a count below the pool: "+strings.Join(suitescale.SubsetRules, ", "))
	c.Flags().StringVar(&m.plan, "plan", "", "replay the plan stored in result `FILE`: the same launches in the same order")
	c.Flags().StringVar(&m.trace, "trace", "", "also write the timeline into `FILE`, which ui.perfetto.dev opens")
	c.Flags().StringVar(&m.predictNodes, "predict-nodes", "", "predict these `NODES`, such as 8,64,512, by a cost model from what was measured")
	c.Flags().StringVar(&m.network, "network", "", "latency and bandwidth between nodes for --predict-nodes, such as `2us,25GB/s` (default: fitted on the MPI job)")
	c.Flags().BoolVar(&m.selfTest, "self-test", false, "measure A/A: every launch twice, in turns, to find the noise floor and the smallest detectable change of this machine")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if strings.HasPrefix(err.Error(), "unknown flag: --checkpoint") || strings.HasPrefix(err.Error(), "unknown flag: --every") {
			return fmt.Errorf("%w: it is of `amgpu run`; a sweep that was interrupted goes on with --resume FILE", err)
		}
		return err
	})
	return c
}
