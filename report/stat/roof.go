package stat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// Roofs are the ceilings of each device of res: what rows of res measured, then what
// was stored with the device under other names (measured elsewhere, or nominal).
func Roofs(res *result.Result) [][]result.Roof {
	return mergeRoofs(res, measuredRoofs(res))
}

// measuredRoofs takes, for each device and name, the best of the rows that measure that
// roof on this device alone.
func measuredRoofs(res *result.Result) []map[string]result.Roof {
	type source struct {
		device             int
		roof, unit, source string
	}
	rates := map[source][]float64{}
	var order []source
	for i := range res.Trials {
		t := &res.Trials[i]
		if !measuresRoof(res, t) {
			continue
		}
		l, ok := newLaunch(t)
		if !ok {
			continue
		}
		unit := t.Work.Unit + "/s"
		if t.Work.Unit != "B" && t.Work.Unit != "flop" {
			unit = "op/s"
		}
		k := source{t.Devices[0], t.Roof, unit, strings.TrimSpace(t.Workload + " " + t.Size.Label)}
		if rates[k] == nil {
			order = append(order, k)
		}
		rates[k] = append(rates[k], l.rate())
	}
	out := make([]map[string]result.Roof, len(res.Devices))
	for _, k := range order {
		if out[k.device] == nil {
			out[k.device] = map[string]result.Roof{}
		}
		if rate := Median(rates[k]); rate > out[k.device][k.roof].Value {
			out[k.device][k.roof] = result.Roof{Name: k.roof, Unit: k.unit, Value: rate, Measured: true, Source: k.source}
		}
	}
	return out
}

// measuresRoof tells whether a trial is evidence for a roof: verified, on one device,
// with its data there. What a cache served says nothing of the memory.
func measuresRoof(res *result.Result, t *result.Trial) bool {
	return t.Roof != "" && t.Count == 1 && len(t.Devices) == 1 && t.Verified && t.Status == result.OK &&
		t.Work.Value > 0 && (t.Residency == "" || t.Residency == "resident") && (t.Cache == "" || t.Cache == "hot") &&
		(t.Roof != result.RoofMemory || !inCache(res.Devices, t))
}

func mergeRoofs(res *result.Result, own []map[string]result.Roof) [][]result.Roof {
	out := make([][]result.Roof, len(res.Devices))
	for i := range res.Devices {
		for _, r := range res.Devices[i].Roofs {
			if _, measured := own[i][r.Name]; !measured {
				out[i] = append(out[i], r)
			}
		}
		for _, r := range own[i] {
			out[i] = append(out[i], r)
		}
		slices.SortStableFunc(out[i], func(a, b result.Roof) int { return strings.Compare(a.Name, b.Name) })
	}
	return out
}

// ceilings are the measured roofs by device and name.
type ceilings []map[string]result.Roof

// ceilingsOf are empty where the plan wants none.
func ceilingsOf(res *result.Result) ceilings {
	out := make(ceilings, len(res.Devices))
	if res.Plan.Roof == "none" {
		return out
	}
	for i, roofs := range Roofs(res) {
		out[i] = map[string]result.Roof{}
		for _, r := range roofs {
			if r.Measured && r.Value > 0 {
				out[i][r.Name] = r
			}
		}
	}
	return out
}

// sum adds up a roof over a team; false if that of one device is not known. elsewhere:
// one of them was not measured in this result.
func (c ceilings) sum(team []int, name string) (total result.Roof, elsewhere, ok bool) {
	for _, d := range team {
		if d < 0 || d >= len(c) {
			return total, elsewhere, false
		}
		r, known := c[d][name]
		if !known {
			return total, elsewhere, false
		}
		elsewhere = elsewhere || r.Elsewhere != nil
		total.Name, total.Unit, total.Value = r.Name, r.Unit, total.Value+r.Value
	}
	return total, elsewhere, len(team) > 0
}

// under is what a trial takes at least by the roofs of its devices.
type under struct {
	seconds   float64
	roof      result.Roof // the lowest, summed over the devices
	elsewhere bool
}

// least is the time under the lowest roof, the larger of operations over the arithmetic
// and bytes over the bandwidth; false where one of them is not known. The bytes of a
// working set in the cache are held against the cache.
func (c ceilings) least(devices []result.Device, t *result.Trial) (out under, ok bool) {
	parts := []struct {
		amount float64
		roof   string
	}{{t.Flops, arithmetic(t)}, {t.Bytes, result.RoofMemory}}
	if inCache(devices, t) {
		parts[1].roof = result.RoofL2
	}
	for _, p := range parts {
		if !(p.amount > 0) {
			continue
		}
		r, elsewhere, known := c.sum(t.Devices, p.roof)
		if !known {
			return under{}, false
		}
		out.elsewhere = out.elsewhere || elsewhere
		if seconds := p.amount / r.Value; seconds > out.seconds {
			out.seconds, out.roof = seconds, r
		}
	}
	return out, out.seconds > 1/tooLarge
}

func arithmetic(t *result.Trial) string {
	if t.Arithmetic == "" {
		return result.DefaultArithmetic
	}
	return t.Arithmetic
}

// underRoof holds the row against its roof: the median over its launches, the interval
// that of the time.
func (s *series) underRoof(c *cell, m *result.Median) (share *result.RoofShare, elsewhere bool) {
	var least []float64
	var last under
	for _, l := range c.launches {
		u, ok := s.roofs.least(s.devices, l.trial)
		if !ok || arithmetic(l.trial) == result.NoArithmetic || l.trial.Residency == "end-to-end" {
			return nil, false
		}
		elsewhere = elsewhere || u.elsewhere
		least, last = append(least, u.seconds), u
	}
	if m == nil || len(least) == 0 {
		return nil, false
	}
	seconds := Median(least)
	out := &result.RoofShare{Value: seconds / m.Median, Roof: last.roof.Name, Rate: last.roof.Value, Unit: last.roof.Unit}
	if m.Low != nil && m.High != nil {
		low, high := seconds / *m.High, seconds / *m.Low
		out.Low, out.High = &low, &high
	}
	return out, elsewhere
}

// overRoof is the share of a measured roof from which on a row cannot be believed.
const overRoof = 1.05

// doubtRoof says that a row is above its measured roof; certain: roof and row were
// measured together on GPUs, and the whole interval is above.
func (s *series) doubtRoof(c *cell, share *result.RoofShare, elsewhere bool) (reason string, certain bool) {
	if share == nil || share.Value <= overRoof {
		return "", false
	}
	reason = fmt.Sprintf("%.2f times the measured roof of its devices (%s, %.3g %s): served from a cache, or not all of the work was done, or fewer bytes than counted were needed",
		share.Value, share.Roof, share.Rate, share.Unit)
	software := false
	for _, l := range c.launches {
		for _, d := range l.trial.Devices {
			software = software || d < 0 || d >= len(s.devices) || s.devices[d].Software
		}
	}
	if software && elsewhere { // another day another load: it says nothing
		return "", false
	}
	return reason, !elsewhere && !software && (share.Low == nil || *share.Low > overRoof)
}
