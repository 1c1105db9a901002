package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// event is one event of the trace event format; times are microseconds.
type event struct {
	Name string         `json:"name"`
	Cat  string         `json:"cat,omitempty"`
	Ph   string         `json:"ph"` // X: a span; M: names and order
	Ts   *float64       `json:"ts,omitempty"`
	Dur  *float64       `json:"dur,omitempty"`
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	Args map[string]any `json:"args,omitempty"`
}

// Trace writes the timeline as Chrome trace events, which ui.perfetto.dev opens: a
// process per row, a thread per device, time from the opening of the start gate.
// A row shows the launch in the middle of those that hold spans. Spans that overlap
// on a device get threads of their own: viewers drop what does not nest. Thread
// numbers are unique in the file, because Perfetto names threads by them alone.
func Trace(w io.Writer, res *result.Result, rows []stat.Row) error {
	t := &tracer{res: res, next: len(rows) + 1}
	shown := 0
	for i := range rows {
		if trial := middle(&rows[i]); trial != nil {
			t.row(i+1, rowName(&rows[i].Summary), trial)
			shown++
		}
	}
	other := map[string]string{"tool": line("amgpu " + res.Tool.Version), "fingerprint": line(res.Fingerprint), "rows": fmt.Sprintf("%d of %d", shown, len(rows))}
	if shown == 0 {
		other["note"] = "no launch holds spans: the devices give no usable time stamps"
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	if t.events == nil {
		t.events = []event{}
	}
	if _, err := io.WriteString(w, "{\"traceEvents\":[\n"); err != nil {
		return err
	}
	for i, e := range t.events {
		if i > 0 {
			if _, err := io.WriteString(w, ","); err != nil {
				return err
			}
		}
		if err := out.Encode(e); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(w, "],\"otherData\":"); err != nil {
		return err
	}
	if err := out.Encode(other); err != nil {
		return err
	}
	_, err := io.WriteString(w, "}\n")
	return err
}

// middle is the launch whose median time is in the middle of those with spans.
func middle(r *stat.Row) *result.Trial {
	all := slices.DeleteFunc(launches(r), func(l oneLaunch) bool { return len(l.trial.Spans) == 0 })
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b oneLaunch) int { return cmp.Compare(a.seconds, b.seconds) })
	return all[(len(all)-1)/2].trial
}

// tracer collects events.
type tracer struct {
	res    *result.Result
	next   int // thread number not used yet
	events []event
}

func (t *tracer) name(what string, pid, tid int, value any) {
	key := "name"
	if what == "process_sort_index" || what == "thread_sort_index" {
		key = "sort_index"
	}
	t.events = append(t.events, event{Name: what, Ph: "M", Pid: pid, Tid: tid, Args: map[string]any{key: value}})
}

// thread is a lane of spans that follow one another.
type thread struct{ device, lane int }

// row adds the spans of a trial. No time is negative: importers drop those.
func (t *tracer) row(pid int, name string, trial *result.Trial) {
	t.name("process_name", pid, pid, name)
	t.name("process_sort_index", pid, pid, pid)
	spans := slices.Clone(trial.Spans)
	slices.SortStableFunc(spans, func(a, b result.Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Device, b.Device))
	})
	first := min(0, spans[0].Start)
	busy := map[int][]float64{} // until when, per device and lane
	tids := map[thread]int{}
	for _, s := range spans {
		start := micro(s.Start - first)
		end := max(start, micro(s.End-first))
		lane := slices.IndexFunc(busy[s.Device], func(until float64) bool { return until <= start })
		if lane < 0 {
			lane = len(busy[s.Device])
			busy[s.Device] = append(busy[s.Device], 0)
		}
		busy[s.Device][lane] = end
		tid, known := tids[thread{s.Device, lane}]
		if !known {
			tid = t.next
			t.next++
			tids[thread{s.Device, lane}] = tid
			t.name("thread_name", pid, tid, t.device(s.Device, lane))
			t.name("thread_sort_index", pid, tid, 1000*s.Device+lane)
		}
		label, dur := line(s.Label), math.Round((end-start)*1e3)/1e3
		if label == "" {
			label = line(s.Kind)
		}
		t.events = append(t.events, event{Name: label, Cat: line(s.Kind), Ph: "X", Ts: &start, Dur: &dur, Pid: pid, Tid: tid,
			Args: map[string]any{"device": s.Device, "launch": trial.Launch, "block": trial.Block}})
	}
}

// device names a thread.
func (t *tracer) device(index, lane int) string {
	name := fmt.Sprintf("device %d", index)
	if index >= 0 && index < len(t.res.Devices) {
		name += " " + line(t.res.Devices[index].Name)
	}
	if lane > 0 {
		name += fmt.Sprintf(" (overlapping %d)", lane)
	}
	return name
}

// micro is seconds in microseconds, to the nanosecond.
func micro(seconds float64) float64 { return math.Round(seconds*1e9) / 1e3 }
