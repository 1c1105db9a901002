package table

import (
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// trials finds the launches of a result, which are many for each series, and the
// counts that computed the same outputs.
type trials struct {
	of     map[result.Key][]*result.Trial
	counts map[outputs][]int
}

// outputs are those of one problem, whatever computed them.
type outputs struct {
	workload, split, algorithm, digest string
	total                              int64
}

func outputsOf(t *result.Trial) outputs {
	return outputs{t.Workload, t.Split, t.Algorithm, t.Digest, t.Total}
}

// index goes through the launches once.
func index(res *result.Result) trials {
	x := trials{map[result.Key][]*result.Trial{}, map[outputs][]int{}}
	for i := range res.Trials {
		t := &res.Trials[i]
		x.of[t.Key] = append(x.of[t.Key], t)
		if t.Digest == "" {
			continue
		}
		if o := outputsOf(t); !slices.Contains(x.counts[o], t.Count) {
			x.counts[o] = append(x.counts[o], t.Count)
		}
	}
	return x
}

// compared says whether another count computed the same outputs of the same problem.
func (x trials) compared(t *result.Trial) bool {
	return t.Digest != "" && !t.CountDependent &&
		slices.ContainsFunc(x.counts[outputsOf(t)], func(count int) bool { return count != t.Count })
}
