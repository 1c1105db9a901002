// Package pac holds phase-amplitude coupling: how far the phase of slow oscillations drives
// the amplitude of fast ones, for every signal and pair of bands.
package pac

import (
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const (
	number = 42
	bins   = 18
	// Philox array ids; idCuts is also in shaders/pac/surrogate.comp.
	idNoise, idCoupling, idCuts = 1, 2, 3
)

func init() { suites.Register(mi{}) }

type mi struct{}

func (mi) Info() suites.Info {
	return suites.Info{
		ID: "pac/mi", Number: number,
		Doc:           "Phase-amplitude coupling: modulation index of all pairs of bands, z-scores against surrogates",
		Source:        "gPAC; Tort, Komorowski, Eichenbaum, Kopell 2010; Canolty et al. 2006",
		Formula:       "MI = sum over b of g(18 P_b - 1) / (18 ln 18), g(e) = (1+e) ln(1+e) - e, P_b: share of bin b of the phase in the mean amplitude; z = (MI - mean)/sd over circular shifts",
		Sizes:         suites.Sizes{S: 2, M: 64, L: 256},
		SizeUnit:      "items of several channels (S 2 channels of 1024 samples, M 64 of 2048, L 64 of 4096); or the recording of --input (.npy, EDF)",
		WorkUnit:      "signal",
		Flops:         "2 T per pair of bands and permutation, filters and analytic signals by FFT besides",
		Bytes:         "4 T read, 4 (8 with z-scores) per pair of bands written, per signal",
		Splits:        []string{"batch", "channel", "permutation"},
		Communication: "batch, channel: none; permutation: all-gather of 4 T (n_pha + n_amp) B per signal and of mean and M2 (8 B) per signal, pair of bands and chunk of permutations; without surrogates it is divided by batch",
		Tolerance:     "E3: amplitude 2e-5 of its largest and of the filter's share of the input, MI 1e-6 + 1 % where bands are not nearly empty, z 0.05 + 0.01 |z|; D0",
		Weak:          "items (batch), channels or permutations proportional to the number of devices",
		ReadsInput:    true,
		Params: []suites.Param{
			{Name: "n_perm", Doc: "surrogates (-1: S 16, M 200, L 1000; a file 200)", Default: -1, Min: -1, Max: 1 << 16},
			{Name: "fs", Doc: "sampling rate in Hz (0: 512; an EDF file has its own)", Default: 0, Min: 0, Max: 1 << 20},
			{Name: "channels", Doc: "channels of an item (0: by size)", Default: 0, Min: 0, Max: 1 << 16},
			{Name: "time", Doc: "samples of a signal, 64 to 4096 (0: by size); longer recordings are cut into items of so many", Default: 0, Min: 0, Max: maxSamples},
			{Name: "n_pha", Doc: "bands of the phase", Default: 10, Min: 1, Max: maxBands},
			{Name: "n_amp", Doc: "bands of the amplitude", Default: 10, Min: 1, Max: maxBands},
			{Name: "pha_min", Doc: "first band of the phase, Hz", Default: 2, Min: 1, Max: 1 << 19},
			{Name: "pha_max", Doc: "last band of the phase, Hz", Default: 20, Min: 3, Max: 1 << 19},
			{Name: "amp_min", Doc: "first band of the amplitude, Hz", Default: 60, Min: 1, Max: 1 << 19},
			{Name: "amp_max", Doc: "end of the bands of the amplitude, Hz, below fs/2 (0: 160)", Default: 0, Min: 0, Max: 1 << 19},
			{Name: "kernel", Doc: "filter: 0 Hamming-windowed sinc, 1 Butterworth of order 4 (gPAC)", Default: 0, Min: 0, Max: 1},
			{Name: "direct", Doc: "filter by FFT (0) or by direct sums (1)", Default: 0, Min: 0, Max: 1},
			{Name: "binning", Doc: "phase bins: 0 hard, 1 soft (softmax of the distance / 0.01, in steps of 1/65535)", Default: 0, Min: 0, Max: 1},
			{Name: "distribution", Doc: "0 mean amplitude per bin (Tort), 1 sums (gPAC)", Default: 0, Min: 0, Max: 1},
		},
	}
}

// InputSize is the number of items of a recording.
func (mi) InputSize(path string) (int64, error) {
	r, err := recordingOf(path)
	if err != nil {
		return 0, err
	}
	return r.items * max(r.samples/min(r.samples, maxSamples), 1), nil
}

// Build divides the analytic signals and the modulation indices by items or channels; or
// the surrogates, for which every device gets all analytic signals.
func (mi) Build(b suites.Build) (*program.Program, error) {
	p, err := problemOf(b)
	if err != nil {
		return nil, err
	}
	return p.program(b), nil
}

// program lists the arrays and steps of a problem.
func (p *problem) program(b suites.Build) *program.Program {
	shares := b.Divide(p.units, 1)
	perms := p.split == "permutation"
	plan := layout{problem: p, shares: shares, invocations: b.Limits.Invocations}
	shared, results, result := program.Split, program.Split, p.units
	if perms {
		shared, results, result = program.Replicated, program.Local, p.signals
	}
	values := int64(len(p.pha) * len(p.amp))
	perResult := p.perUnit
	if perms {
		perResult = 1
	}
	arrays := append(plan.tables(),
		program.Array{Name: "x", Layout: program.Split, Units: p.units, Stride: p.perUnit * p.samples, Source: p.source()},
		program.Array{Name: "lists", Elem: program.U32, Layout: shared, Units: p.units, Stride: p.perUnit * int64(len(p.pha)) * p.list()},
		program.Array{Name: "amplitudes", Elem: program.U32, Layout: shared, Units: p.units, Stride: p.perUnit * int64(len(p.amp)) * p.samples},
		program.Array{Name: "mi", Layout: results, Units: result, Stride: perResult * values, Output: true})
	steps := []program.Step{plan.analytic("phase"), plan.analytic("amplitude")}
	if perms {
		steps = append(steps, program.AllGather{Arrays: []string{"lists", "amplitudes"}})
	}
	steps = append(steps, plan.observed(perms))
	if p.perms > 0 {
		stride := p.perUnit * values * p.chunks * 2
		if perms {
			stride = p.signals * values * 2
		}
		arrays = append(arrays,
			program.Array{Name: "partials", Layout: shared, Units: p.units, Stride: stride},
			program.Array{Name: "z", Layout: results, Units: result, Stride: perResult * values, Output: true})
		steps = append(steps, plan.surrogates(b.Seed, perms))
		if perms {
			steps = append(steps, program.AllGather{Arrays: []string{"partials"}})
		}
		steps = append(steps, plan.scores(perms))
	}
	n := float64(p.signals)
	m := float64(p.half())
	flops := float64(len(p.pha)+len(p.amp))*(30*m*math.Log2(m)+60*m) + float64(values)*float64(p.perms+1)*2*float64(p.samples)
	out := 4 * float64(values)
	if p.perms > 0 {
		out *= 2
	}
	return &program.Program{
		Units: p.units, Shares: shares, Arrays: arrays, Kernels: plan.kernels(), Steps: steps,
		Work: n, Flops: n * flops, Bytes: n * (4*float64(p.samples) + out),
	}
}
