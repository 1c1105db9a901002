package stat

import (
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// memory is what the launches of a row took of their devices' memory; nil: not known.
func (c *cell) memory() *result.Memory {
	var trials []*result.Trial
	for _, l := range c.launches {
		trials = append(trials, l.trial)
	}
	return MemoryOf(trials)
}

// MemoryOf is what launches of one row took of their devices' memory; nil where it is not known
// of one of them.
//
// Naive replication takes what the row took and what the arrays lack on the device that
// holds most of them: sub-allocation and scratch are the same both ways.
func MemoryOf(trials []*result.Trial) *result.Memory {
	if len(trials) == 0 {
		return nil
	}
	out := &result.Memory{}
	budgets := true
	for _, t := range trials {
		if len(t.HighWater) == 0 || len(t.HighWater) != t.Count || slices.Min(t.HighWater) == 0 {
			return nil
		}
		peak := slices.Max(t.HighWater)
		out.Peak = max(out.Peak, peak)
		if t.Resident > 0 && t.Replicated >= t.Resident {
			naive := peak + t.Replicated - t.Resident
			out.Replicated = max(out.Replicated, naive)
			if saved := 1 - float64(peak)/float64(naive); t.Count > 1 && (out.Saved == nil || saved < *out.Saved) {
				out.Saved = &saved
			}
		}
		budgets = budgets && len(t.Memory) == t.Count
		for _, m := range t.Memory {
			if m.Budget <= 0 {
				budgets = false
				continue
			}
			used := float64(m.Used) / float64(m.Budget)
			if out.Used == nil {
				out.Used = &result.Range{Least: used, Most: used}
			}
			out.Used.Least, out.Used.Most = min(out.Used.Least, used), max(out.Used.Most, used)
		}
	}
	if !budgets {
		out.Used = nil
	}
	return out
}
