package zk

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/dft"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(ntt{}) }

type ntt struct{}

const idInput = 1

func (ntt) Info() suites.Info {
	return suites.Info{
		ID: "zk/ntt", Number: 32,
		Doc:           "number-theoretic transform of vectors over a prime field",
		Source:        "SuperVM; Cooley and Tukey 1965, four-step: Bailey 1990; Goldilocks reduction: Plonky2",
		Formula:       "X_k = sum_j x_j w^(jk) mod p, w of order n; inverse: x_j = 1/n sum_k X_k w^(-jk)",
		Sizes:         suites.Sizes{S: 1 << 10, M: 1 << 22, L: 1 << 27},
		SizeUnit:      "points of a transform; below a power of two the rest is zero",
		WorkUnit:      "butterfly",
		Flops:         "n/2 log2 n butterflies of 1 product and 2 sums mod p (integer; 52 operations in Goldilocks, 10 in BabyBear)",
		Arithmetic:    "int32",
		Bytes:         "16 n (BabyBear 8 n) per pass, ceil(log2 n / 10) passes",
		Splits:        []string{dft.SplitBatch, dft.SplitFourStep},
		Communication: "batch: none; four-step: one all-to-all, 8 n (N-1)/N B in all, in parts that overlap with both sides of it",
		Tolerance:     "E0",
		Weak:          "batch: transforms proportional to the number of devices; four-step: points, rounded up to a power of two",
		Tunables:      []suites.Tunable{wide},
		Params: append([]suites.Param{
			{Name: "field", Doc: "0: Goldilocks (2^64 - 2^32 + 1), 1: BabyBear (15 2^27 + 1)", Default: 0, Min: 0, Max: 1},
		}, dft.Params()...),
	}
}

// vectors is the problem.
type vectors struct {
	dft.Vectors
	f *field
}

func vectorsOf(b suites.Build) (vectors, error) {
	all, err := dft.VectorsOf("zk/ntt", b)
	v := vectors{Vectors: all, f: goldilocks}
	if b.Params["field"] == 1 {
		v.f = babybear
	}
	v.Ring, v.Source = v.f.ring(isWide(b)), v.source()
	return v, err
}

// source makes elements: any 64 bits stand for their residue in Goldilocks.
func (v vectors) source() program.Source {
	if v.f == babybear {
		return program.Source{Kind: program.PhiloxMod, ID: idInput, Mod: uint32(babybear.p)}
	}
	return program.Source{Kind: program.PhiloxRaw, ID: idInput}
}

func (w ntt) Build(b suites.Build) (*program.Program, error) {
	v, err := vectorsOf(b)
	if err != nil {
		return nil, err
	}
	butterflies := float64(v.Count) * float64(v.N()) / 2 * float64(v.M)
	p := &program.Program{
		Work: butterflies, Flops: butterflies * (v.f.mulOps + 2*v.f.addOps),
		Bytes: float64(v.Count) * 8 * float64(v.f.words) * float64(v.N()) * float64((v.M+9)/10),
	}
	v.Vectors.Build(b, p)
	return p, nil
}
