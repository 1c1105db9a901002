package gate

import (
	"fmt"

	"github.com/amgpu/amgpu/report/result"
)

// Together is one result with the rows of several, for limits on rows that no single
// command measures: sizes, presets and the like are the same for all rows of one. The
// devices must be the same, and so must what the statistics rest on; a row must be in
// one of them only, since launches of two occasions are not one sample. names are for
// the errors, which are of kind ErrRequest.
func Together(names []string, results []*result.Result) (*result.Result, error) {
	if len(results) == 0 {
		return nil, fmt.Errorf("%w: no result", ErrRequest)
	}
	type row struct {
		result.Key
		count int
	}
	all := *results[0]
	all.Trials, all.Warnings, all.Noise = nil, nil, nil
	from := map[row]int{}
	for i, res := range results {
		if what := unlike(results[0], res); what != "" {
			return nil, fmt.Errorf("%w: %s and %s differ in their %s; judge them one by one", ErrRequest, names[0], names[i], what)
		}
		for _, t := range res.Trials {
			id := row{t.Key, t.Count}
			if first, seen := from[id]; seen && first != i {
				return nil, fmt.Errorf("%w: %s, %s, size %d, %d GPU is in %s and in %s; keep one of them", ErrRequest, t.Workload, t.Mode, t.Size.N, t.Count, names[first], names[i])
			}
			from[id] = i
		}
		all.Trials = append(all.Trials, res.Trials...)
		all.Warnings = append(all.Warnings, res.Warnings...)
		if res.Noise != nil && (all.Noise == nil || res.Noise.Phi > all.Noise.Phi) {
			all.Noise = res.Noise
		}
	}
	return &all, nil
}

// unlike names what keeps two results from being judged together.
func unlike(a, b *result.Result) string {
	if a.Fingerprint != b.Fingerprint || len(a.Devices) != len(b.Devices) {
		return "devices"
	}
	for i := range a.Devices {
		if a.Devices[i].UUID != b.Devices[i].UUID || a.Devices[i].Index != b.Devices[i].Index {
			return "devices"
		}
	}
	switch {
	case a.Plan.Preset != b.Plan.Preset:
		return "preset"
	case a.Plan.Seed != b.Plan.Seed:
		return "seed"
	}
	return ""
}
