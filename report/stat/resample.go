package stat

import (
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/amgpu/amgpu/report/result"
)

// fewest launches for a bootstrap of means: below it covers far too little
// (measurement.md 5.5).
const fewest = 5

// draws is how often factors are resampled; their intervals are for reading, no
// verdict rests on them.
const draws = 500

// drawnFactors is memory for the draws of one row.
var drawnFactors = sync.Pool{New: func() any { return new([factorCount][draws]float64) }}

// table adds to each factor its interval from resampling launches (A8).
func (e *evidence) table(f factorSet, c *cell) *result.Factors {
	var low, high *factorSet
	if len(e.team) >= fewest && (e.base == nil || len(e.base) >= fewest) {
		low, high = e.resample()
	}
	value := func(k int) *result.Value {
		v := result.Value{Value: f[k]}
		if low != nil {
			v.Low, v.High = &low[k], &high[k]
		}
		return &v
	}
	out := &result.Factors{LoadBalance: value(loadBalance), Transfer: value(transferring), Orchestration: value(orchestration),
		Parallel: value(parallel), Rate: value(rating), Computation: value(computation), Global: value(global), HiddenTransfer: c.hidden()}
	if e.phased {
		out.Serialization = value(serialization)
	}
	if e.issued > 0 {
		out.Work = value(working)
	}
	if e.clocked {
		out.Clock = value(clocking)
	}
	return out
}

// expandedTail is the share of draws beyond each end of a percentile interval from n
// values: a resample scatters less than a sample, by sqrt((n-1)/n), and its scatter is
// uncertain itself, which Student's t allows for (Hesterberg, The American
// Statistician 69, 2015: the expanded percentile interval).
func expandedTail(n int) float64 {
	return distuv.UnitNormal.Survival(student(n-1) * math.Sqrt(float64(n)/float64(n-1)))
}

// picker draws indexes, two from each random number. n is far below 2^32, so that no
// index is noticeably likelier than another.
type picker struct {
	source *rand.PCG
	left   uint64
}

func (r *picker) pick(n int) int {
	x := r.left
	if x == 0 {
		x = r.source.Uint64()
		r.left = x>>32 | 1<<63
	} else {
		r.left = 0
	}
	return int(x & math.MaxUint32 * uint64(n) >> 32)
}

// resample gives the percentile bounds of all factors. Each draw takes launches of
// the team anew and, by how they scatter, those of the base.
func (e *evidence) resample() (low, high *factorSet) {
	r := picker{source: rand.NewPCG(resampleSeed, uint64(len(e.team)))}
	all := drawnFactors.Get().(*[factorCount][draws]float64)
	defer drawnFactors.Put(all)
	for i := range draws {
		var team, ref sums
		for range e.team {
			k := r.pick(len(e.team))
			team.add(e.team[k])
			ref.add(e.refs[k])
		}
		if e.base == nil {
			ref = team
		} else {
			var shift sums
			for range e.base {
				shift.add(e.base[r.pick(len(e.base))])
			}
			ref = ref.each(shift, func(x, y float64) float64 { return x * y / float64(len(e.base)) })
		}
		f := split(team, ref, e.n, e.ratio, e.work, e.clockScale(team, ref), e.phased)
		for k, v := range f {
			all[k][i] = v
		}
	}
	n := len(e.team)
	if e.base != nil {
		n = min(n, len(e.base))
	}
	tail := expandedTail(n)
	low, high = &factorSet{}, &factorSet{}
	for k := range all {
		low[k], high[k] = quantiles(all[k][:], tail, 1-tail)
	}
	return low, high
}
