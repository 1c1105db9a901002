package result

import "fmt"

// amount is a value that cannot be below 0, with the words for it.
type amount struct {
	value      float64
	what, unit string
}

// below says which of the amounts is below 0 or no number; empty if none.
func below(amounts ...amount) string {
	for _, a := range amounts {
		if !(a.value >= 0) {
			unit := a.unit
			if unit != "" {
				unit = " " + unit
			}
			return fmt.Sprintf("%s of %g%s; it cannot be negative", a.what, a.value, unit)
		}
	}
	return ""
}

// negatives says which value of a trial is below 0 and cannot be. The samples' times
// by device clocks may be: a clock that runs off is a doubt, not a broken file.
func negatives(t *Trial) string {
	for i, f := range t.Clocks {
		if f < 0 {
			return fmt.Sprintf("clock %d is %g Hz; it cannot be negative", i+1, f)
		}
	}
	if t.Total < 0 {
		return fmt.Sprintf("size %d over all devices; it cannot be negative", t.Total)
	}
	all := []amount{
		{float64(t.Launch), "launch number", ""}, {float64(t.Block), "block number", ""}, {float64(t.Reps), "repetitions", ""},
		{t.Work.Value, "work", t.Work.Unit}, {t.Work.Issued, "work issued", t.Work.Unit},
		{t.Flops, "operations", "flop"}, {t.Bytes, "memory traffic", "B"}, {float64(t.Resident), "working set", "B"}, {float64(t.Replicated), "replicated arrays", "B"},
		{t.EmptyGate, "empty step", "s"}, {t.ClockError, "error of clocks", "s"}, {t.Warmup.Seconds, "warm-up", "s"}, {float64(t.Warmup.Samples), "warm-up samples", ""},
	}
	if t.Energy != nil {
		all = append(all, amount{t.Energy.Joules, "energy", "J"}, amount{t.Energy.Seconds, "time of energy", "s"})
	}
	if t.Check != nil {
		all = append(all, amount{float64(t.Check.Checked), "outputs checked", ""}, amount{t.Check.Worst, "share of the tolerance", ""})
	}
	for _, n := range t.Shares {
		all = append(all, amount{float64(n), "share", "units"})
	}
	for _, g := range t.Granularity {
		all = append(all, amount{g, "granularity", "s"})
	}
	for _, n := range t.HighWater {
		all = append(all, amount{float64(n), "high-water mark", "B"})
	}
	if d := t.Decision; d != nil {
		all = append(all, amount{float64(d.Calls), "calls of a decision", ""}, amount{d.Median, "median of a decision", "s"}, amount{d.P99, "99 % quantile of a decision", "s"})
	}
	for _, m := range t.Memory {
		all = append(all, amount{float64(m.Used), "memory in use", "B"}, amount{float64(m.Budget), "memory budget", "B"})
	}
	return below(all...)
}

// mostPhi bounds the noise floor: times of one thing do not differ by more.
const mostPhi = 1e6

// badHeader says what is impossible about what stands around the trials.
func badHeader(res *Result) string {
	if n := res.Noise; n != nil {
		if !(n.Phi >= 0 && n.Phi < mostPhi) { // above 1 on a machine that is busy otherwise
			return fmt.Sprintf("noise.phi of %g; a relative noise floor is at least 0 and below %g", n.Phi, float64(mostPhi))
		}
		if text := below(amount{n.Q95, "noise.q95", ""}, amount{n.Detectable, "noise.detectable", ""},
			amount{float64(n.Comparisons), "noise.comparisons", ""}, amount{float64(n.Launches), "noise.launches", ""}); text != "" {
			return text
		}
	}
	p := res.Plan
	if text := below(amount{float64(p.Launches), "plan.launches", ""}, amount{p.Precision, "plan.precision", ""},
		amount{float64(p.Samples), "plan.samples", ""}, amount{p.MaxTime, "plan.max_time", "s"}); text != "" {
		return text
	}
	for i := range res.Devices {
		if text := badDevice(&res.Devices[i]); text != "" {
			return fmt.Sprintf("device %d of the result: %s", i, text)
		}
	}
	for i, l := range res.Links {
		if l.From < 0 || l.To < 0 {
			return fmt.Sprintf("link %d of the result: from device %d to device %d", i+1, l.From, l.To)
		}
		for _, v := range []*float64{l.Bandwidth, l.BothWays, l.Latency, l.Typical} {
			if v != nil && *v < 0 {
				return fmt.Sprintf("link %d of the result: a value of %g; it cannot be negative", i+1, *v)
			}
		}
	}
	for _, h := range res.Health {
		if h.Device < 0 || h.Device >= len(res.Devices) || h.Errors < 0 || h.Xids < 0 {
			return fmt.Sprintf("health of device %d with %d errors and %d Xids; the result lists %d devices", h.Device, h.Errors, h.Xids, len(res.Devices))
		}
	}
	return badTelemetry(res.Telemetry, len(res.Devices))
}

func badTelemetry(t *Telemetry, devices int) string {
	if t == nil {
		return ""
	}
	for i := range t.Devices {
		d := &t.Devices[i]
		if d.Index < 0 || d.Index >= devices {
			return fmt.Sprintf("telemetry of device %d; the result lists %d devices", d.Index, devices)
		}
		if d.Idle != nil && *d.Idle < 0 {
			return below(amount{*d.Idle, "idle power", "W"})
		}
	}
	return below(amount{t.Interval, "telemetry.interval", "s"}, amount{t.Cost, "telemetry.cost", "s"})
}

func badDevice(d *Device) string {
	all := []amount{{float64(d.Index), "index", ""}, {float64(d.Memory), "memory", "B"}, {float64(d.Cache), "cache", "B"},
		{float64(d.Subgroup), "subgroup", ""}, {d.PowerLimit, "power limit", "W"}}
	if d.Peak != nil {
		all = append(all, amount{d.Peak.BytesPerSecond, "peak", "B/s"}, amount{d.Peak.Flops, "peak", "flop/s"})
	}
	for _, r := range d.Roofs {
		all = append(all, amount{r.Value, "roof", r.Unit})
	}
	return below(all...)
}
