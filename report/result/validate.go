package result

import "fmt"

// validate refuses what no reader could use: counts, device numbers and times
// that cannot be. Anything merely doubtful is left to stat.
func validate(res *Result) error {
	for i := range res.Trials {
		if text := badTrial(&res.Trials[i], len(res.Devices)); text != "" {
			return &fault{ErrMalformed, fmt.Sprintf("trial %d of the result: %s", i+1, text)}
		}
	}
	return nil
}

// badTrial says what is impossible about a trial; devices is the pool's size.
func badTrial(t *Trial, devices int) string {
	if t.Workload == "" {
		return "no workload named"
	}
	if t.Count < 1 {
		return fmt.Sprintf("count %d; a team has at least one device", t.Count)
	}
	for _, d := range t.Devices {
		if d < 0 || d >= devices {
			return fmt.Sprintf("device %d; the result lists %d devices", d, devices)
		}
	}
	for i, s := range t.Samples {
		if s < 0 {
			return fmt.Sprintf("sample %d is %g s; a time cannot be negative", i+1, s)
		}
	}
	if t.Work.Value < 0 {
		return fmt.Sprintf("work of %g %s; it cannot be negative", t.Work.Value, t.Work.Unit)
	}
	return ""
}
