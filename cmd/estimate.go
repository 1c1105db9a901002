package cmd

import (
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/scale"
)

// aloneID names what devices do alone and in a team: a row without its mode, strategy and
// transport.
type aloneID struct {
	key    result.Key
	device int
}

func aloneOf(k result.Key, device int) aloneID {
	k.Mode, k.Strategy, k.Transport = "", "", ""
	return aloneID{k, device}
}

// aloneRows are the launches of one device in a result. Of each device there are the
// seconds of an iteration for a unit of work; for work that is not counted, for one
// iteration of a problem of the base size.
type aloneRows struct {
	seconds map[aloneID][]float64
	devices []result.Device
}

func aloneIn(res *result.Result) aloneRows {
	out := aloneRows{map[aloneID][]float64{}, res.Devices}
	for i := range res.Trials {
		t := &res.Trials[i]
		times := stat.ValidTimes(t)
		if t.Count != 1 || len(t.Devices) != 1 || t.Status != result.OK || len(times) < soloSamples {
			continue
		}
		id := aloneOf(t.Key, t.Devices[0])
		out.seconds[id] = append(out.seconds[id], stat.Median(times)/amount(t))
	}
	return out
}

// amount is the work of a trial; where it is not counted, its size relative to the base.
func amount(t *result.Trial) float64 {
	if t.Work.Value > 0 {
		return t.Work.Value
	}
	if t.Size.N > 0 && t.Total > 0 {
		return float64(t.Total) / float64(t.Size.N)
	}
	return 1
}

// of is the median over the launches of a device; where it was not measured alone, over
// those of devices of the same model and driver.
func (a aloneRows) of(k result.Key, device int) (seconds float64, basis string) {
	if list := a.seconds[aloneOf(k, device)]; len(list) > 0 {
		return stat.Median(list), fromRows
	}
	if device < 0 || device >= len(a.devices) {
		return 0, ""
	}
	var list []float64
	for i := range a.devices {
		if sameModel(a.devices[i], a.devices[device]) {
			list = append(list, a.seconds[aloneOf(k, i)]...)
		}
	}
	if len(list) == 0 {
		return 0, ""
	}
	return stat.Median(list), fromLike
}

// sameModel tells whether devices are of one model with one driver.
func sameModel(a, b result.Device) bool { return a.Name == b.Name && a.Driver == b.Driver }

// willKnow are the rows of one device from which estimateAfter will know devices of the
// pool, given those that a sweep has and those it is to have.
func willKnow(pool []result.Device, cells []scale.Cell, earlier []result.Trial) map[aloneID]bool {
	out := map[aloneID]bool{}
	mark := func(k result.Key, measured int) {
		for at := range pool {
			if at == measured || measured < len(pool) && sameModel(pool[at], pool[measured]) {
				out[aloneOf(k, at)] = true
			}
		}
	}
	for _, c := range cells {
		if c.Count == 1 {
			mark(c.Key, c.Devices[0])
		}
	}
	for _, t := range earlier {
		if t.Count == 1 && len(t.Devices) == 1 {
			mark(t.Key, t.Devices[0])
		}
	}
	return out
}

// estimateAfter completes launches that were divided without rates: once a sweep is over
// it has measured devices alone, and from that follows when each was to be done with its
// share. What was known of a division before stays.
func estimateAfter(res *result.Result) {
	alone := aloneIn(res)
	if len(alone.seconds) == 0 {
		return
	}
	for i := range res.Trials {
		t := &res.Trials[i]
		if t.Count < 2 || len(t.Shares) != t.Count || len(t.Devices) != t.Count || t.Division != nil {
			continue
		}
		t.Division = alone.expect(t)
	}
}

// expect is the division of a trial with estimates; nil where a device is not known.
func (a aloneRows) expect(t *result.Trial) *result.Division {
	var units int64
	shares := make([]partition.Share, t.Count)
	for i, n := range t.Shares {
		shares[i] = partition.Share{Lo: units, Hi: units + n}
		units += n
	}
	d := &result.Division{Basis: fromRows, Hindsight: true}
	devices := make([]partition.Device, t.Count)
	for i, at := range t.Devices {
		seconds, basis := a.of(t.Key, at)
		if !(seconds > 0) {
			return nil
		}
		if basis == fromLike {
			d.Basis = fromLike
		}
		devices[i].Rate = float64(units) / (seconds * amount(t))
		d.Rates = append(d.Rates, devices[i].Rate)
	}
	seconds, ok := partition.Estimate(shares, devices)
	if !ok {
		return nil
	}
	d.Estimated = seconds
	return d
}
