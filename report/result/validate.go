package result

import (
	"fmt"
	"math"
	"slices"
)

// validate refuses what no reader could use: counts, device numbers, words and values
// that cannot be. Anything merely doubtful is left to stat. A trial told twice in the
// same digits is dropped.
func validate(res *Result) error {
	if text := badHeader(res); text != "" {
		return &fault{ErrMalformed, text}
	}
	for i := range res.Trials {
		if text := badTrial(&res.Trials[i], len(res.Devices)); text != "" {
			return &fault{ErrMalformed, fmt.Sprintf("trial %d of the result: %s", i+1, text)}
		}
	}
	if text := dropRepeats(res); text != "" {
		return &fault{ErrMalformed, text}
	}
	return nil
}

// badSpan says what is impossible about an interval of a timeline. It may begin before the
// gate: a clock that runs off is a doubt, not a broken file.
func badSpan(s Span, devices []int) string {
	switch {
	case !slices.Contains(SpanKinds, s.Kind):
		return "has an " + unknown("kind", s.Kind, SpanKinds)
	case len(devices) > 0 && !slices.Contains(devices, s.Device):
		return fmt.Sprintf("is of device %d; its devices are %d", s.Device, devices)
	case !(s.End >= s.Start):
		return fmt.Sprintf("ends at %g s, before it begins at %g s", s.End, s.Start)
	}
	return ""
}

// mostDevices bounds a trial's count: what readers keep per device must fit in memory.
const mostDevices = 1 << 24

// badTrial says what is impossible about a trial; devices is the pool's size.
func badTrial(t *Trial, devices int) string {
	if t.Workload == "" {
		return "no workload named"
	}
	if text := badKey(t.Key); text != "" {
		return text
	}
	if !slices.Contains(Statuses, t.Status) {
		return unknown("status", t.Status, Statuses)
	}
	if t.Side != "" && t.Side != SideA && t.Side != SideB {
		return unknown("side", t.Side, []string{SideA, SideB})
	}
	if t.Count < 1 {
		return fmt.Sprintf("count %d; a team has at least one device", t.Count)
	}
	// A written result may leave the devices out; a count that nobody can check is bounded.
	if n := len(t.Devices); n > 0 && n != t.Count || t.Count > mostDevices {
		return fmt.Sprintf("count %d; it lists %d devices", t.Count, n)
	}
	for i, d := range t.Devices {
		if d < 0 || d >= devices {
			return fmt.Sprintf("device %d; the result lists %d devices", d, devices)
		}
		if i < 1024 && slices.Contains(t.Devices[:i], d) { // no pool is larger
			return fmt.Sprintf("device %d is listed twice in one team", d)
		}
	}
	for i, s := range t.Samples {
		if s < 0 {
			return fmt.Sprintf("sample %d is %g s; a time cannot be negative", i+1, s)
		}
	}
	for _, x := range t.Invalid {
		if x.Index < 0 || x.Index >= len(t.Samples) {
			return fmt.Sprintf("sample %d is marked invalid; it has %d samples", x.Index+1, len(t.Samples))
		}
		if x.Reason == "" {
			return fmt.Sprintf("sample %d is marked invalid without a reason", x.Index+1)
		}
	}
	if text := negatives(t); text != "" {
		return text
	}
	if n := len(t.Granularity); n > 0 && n != t.Count {
		return fmt.Sprintf("granularity of %d clocks; it has %d devices", n, t.Count)
	}
	for i, s := range t.Spans {
		if text := badSpan(s, t.Devices); text != "" {
			return fmt.Sprintf("span %d %s", i+1, text)
		}
	}
	if v, ok := impossible(t); ok {
		return fmt.Sprintf("a value of %g; no measurement gives that", v)
	}
	return ""
}

// Magnitudes beyond every measurement, in base units; their quotients and
// squares are still finite, so that no statistic of them is infinite.
const (
	least = 1e-36
	most  = 1e36
)

// impossible finds a number that would make others infinite.
func impossible(t *Trial) (float64, bool) {
	for _, list := range [][]float64{t.Samples, t.Clocks, t.Granularity, {t.Work.Value, t.Work.Issued, t.Flops, t.Bytes, t.EmptyGate, t.Warmup.Seconds}} {
		if v, bad := beyond(list...); bad {
			return v, true
		}
	}
	if t.Energy != nil {
		if v, bad := beyond(t.Energy.Joules, t.Energy.Seconds); bad {
			return v, true
		}
	}
	for _, s := range t.Times.All() {
		if v, bad := beyond(s.Compute...); bad {
			return v, true
		}
		if v, bad := beyond(s.Transfer...); bad {
			return v, true
		}
		if v, bad := beyond(s.Critical, s.Device, s.Skew); bad {
			return v, true
		}
	}
	for i := range t.Spans {
		if v, bad := beyond(t.Spans[i].Start, t.Spans[i].End); bad {
			return v, true
		}
	}
	return 0, false
}

// beyond finds a value that no measurement gives.
func beyond(list ...float64) (float64, bool) {
	for _, v := range list {
		if size := math.Abs(v); size > most || size > 0 && size < least {
			return v, true
		}
	}
	return 0, false
}
