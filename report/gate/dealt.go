package gate

import (
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// handing is what the slowest device's thread spent on handing out chunks over the time of
// an iteration, by the last sample of each launch; nil where shares are cut beforehand.
func handing(s *side) *Effect {
	return s.launches(func(t *result.Trial) (float64, bool) {
		if t.Division == nil || len(t.Division.Decisions) == 0 {
			return 0, false
		}
		return slices.Max(t.Division.Decisions) / stat.Median(stat.ValidTimes(t)), true
	})
}

// prediction is 1 minus the mean relative error of the predicted time of a batch, by the
// last sample of each launch; nil where none was predicted.
func prediction(s *side) *Effect {
	return s.launches(func(t *result.Trial) (float64, bool) {
		if t.Division == nil || t.Division.ChunkError == 0 {
			return 0, false
		}
		return 1 - t.Division.ChunkError, true
	})
}

// failures is the probability that an operation fails, which is an iteration of the team: launches that failed
// or were begun again over all iterations sampled. Its limits are those of Clopper and
// Pearson, 95 % each: without a failure the upper one is about 3 over the number of
// iterations, so 3,000 show 0.1 %.
func failures(s *side) *Effect {
	failed, done := 0.0, 0.0
	for _, t := range s.row.Trials {
		switch t.Status {
		case result.DeviceLost, result.Degraded, result.WrongResult:
			failed++
		default:
			done += float64(len(t.Samples) * t.Reps)
		}
		for _, w := range t.Warnings {
			if w.Code == retried {
				failed++
			}
		}
	}
	if done == 0 {
		return nil
	}
	n := done + failed
	low, high := 0.0, distuv.Beta{Alpha: failed + 1, Beta: done}.Quantile(0.95)
	if failed > 0 {
		low = distuv.Beta{Alpha: failed, Beta: done + 1}.Quantile(0.05)
	}
	return &Effect{Value: failed / n, Low: &low, High: &high, Unit: "1"}
}

// retried is the code of the warning that a launch was begun again after a failure.
const retried = "retried"

// counted are the measures that are no times: launches are not what they rest on, so a
// verdict needs neither many of them nor a steady rate.
var counted = map[string]bool{"failures": true, "decision": true, "memory_used": true, "memory_saved": true}
