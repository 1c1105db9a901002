package html

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/amgpu/amgpu/report/plot"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/report/table"
)

// picks are the launches of one row that a page shows: of those with spans the one
// in the middle, of those with an outcome the first.
type picks struct{ spans, outcome *result.Trial }

type rowKey struct {
	result.Key
	count int
}

// picked looks through the launches.
func picked(res *result.Result) map[rowKey]picks {
	spans := map[rowKey][]*result.Trial{}
	out := map[rowKey]picks{}
	for i := range res.Trials {
		t := &res.Trials[i]
		key := rowKey{t.Key, t.Count}
		if len(t.Spans) > 0 {
			spans[key] = append(spans[key], t)
		}
		if p := out[key]; t.Status == result.OK && t.Outcome != nil && p.outcome == nil {
			p.outcome = t
			out[key] = p
		}
	}
	for key, all := range spans {
		p := out[key]
		p.spans = stat.SpannedLaunch(all)
		out[key] = p
	}
	return out
}

// timelines draws, for each series of a workload, the largest count that has spans.
// Rates of single devices are of interest only where there is nothing else.
func timelines(w *workload, shown map[rowKey]picks) ([]figure, error) {
	var out []figure
	for _, s := range w.Sections {
		if s.Key.Mode == "solo" && len(w.Sections) > 1 {
			continue
		}
		var trial *result.Trial
		for _, r := range s.Rows {
			if t := shown[rowKey{s.Key, r.Summary.Count}].spans; t != nil && (trial == nil || t.Count > trial.Count) {
				trial = t
			}
		}
		if trial == nil {
			continue
		}
		f, err := timeline(table.Clean(w.Name), trial)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func timeline(workload string, t *result.Trial) (figure, error) {
	devices, spans := slices.Clone(t.Devices), slices.Clone(t.Spans)
	slices.Sort(devices)
	for i := range spans {
		spans[i].Label = table.Clean(spans[i].Label)
	}
	var onPath []int
	for _, s := range stat.CriticalPath(t.Spans) {
		if s.Span >= 0 {
			onPath = append(onPath, s.Span)
		}
	}
	d, err := plot.Timeline{Devices: devices, Spans: spans, Path: onPath, Format: fromZero}.
		Inline(fmt.Sprintf("%s: what the devices did during a sample", workload))
	if err != nil {
		return figure{}, err
	}
	first, total := t.Spans[0].Start, 0.0
	for _, s := range t.Spans {
		first = min(first, s.Start)
	}
	for _, s := range t.Spans {
		total = max(total, s.End-first)
	}
	of := gpus(t.Count)
	if t.Mode == "solo" && len(devices) == 1 {
		of = fmt.Sprintf("GPU %d", devices[0])
	}
	caption := fmt.Sprintf("%s, %s: the median sample of launch %d (%d iterations), from the first span on.",
		table.Clean(t.Mode), of, t.Launch+1, max(t.Reps, 1))
	if p := stat.PathOf(t); p != nil {
		caption += fmt.Sprintf(" The critical path is outlined. Its bottleneck, %s of it: %s.", percent(p.Bottleneck.Share), table.Bottleneck(p.Bottleneck))
	}
	f := draw(d, caption)
	f.Table = &plain{Label: fmt.Sprintf("Time of each device, %s, %s", table.Clean(t.Mode), of),
		Columns: numbers("GPU", "compute", "transfer", "host", "wait", "spans", "busy")}
	for _, dev := range devices {
		f.Table.Rows = append(f.Table.Rows, deviceTime(t.Spans, dev, total))
	}
	return f, nil
}

// fromZero formats a time of which 0 is one too.
func fromZero(seconds float64) string {
	if seconds == 0 {
		return "0 s"
	}
	return table.Seconds(seconds)
}

// deviceTime sums the spans of a device; busy is the share of the whole stretch in
// which it computes or transfers, overlaps counted once.
func deviceTime(spans []result.Span, device int, total float64) []string {
	sums, n := map[string]float64{}, 0
	var busy []result.Span
	for _, s := range spans {
		if s.Device != device {
			continue
		}
		n++
		sums[s.Kind] += s.End - s.Start
		if s.Kind != result.KindWait && s.Kind != result.KindHost {
			busy = append(busy, s)
		}
	}
	slices.SortFunc(busy, func(a, b result.Span) int { return cmp.Compare(a.Start, b.Start) })
	union, until := 0.0, 0.0
	for i, s := range busy {
		if i == 0 || s.Start > until {
			until = s.Start
		}
		union += max(0, s.End-until)
		until = max(until, s.End)
	}
	share := "-"
	if total > 0 {
		share = percent(union / total)
	}
	return []string{strconv.Itoa(device), table.Seconds(sums["compute"]), table.Seconds(sums["transfer"]), table.Seconds(sums["host"]), table.Seconds(sums["wait"]), strconv.Itoa(n), share}
}
