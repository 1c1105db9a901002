package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

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
// process per row, a thread for the critical path and one per device and kind of span
// (compute, transfer, host, wait), time from the opening of the start gate. A row shows the launch in the middle of
// those that hold spans. Spans of one kind that overlap on a device get threads of
// their own: viewers drop what does not nest. Thread numbers are unique in the file,
// because Perfetto names threads by them alone.
func Trace(w io.Writer, res *result.Result, rows []stat.Row) error {
	t := &tracer{res: res, next: len(rows) + 1}
	shown := 0
	for i := range rows {
		if trial := stat.SpannedLaunch(rows[i].Trials); trial != nil && rows[i].Seconds != nil {
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

// track is what a device did of one kind; a thread is a lane of it, in which spans
// follow one another.
type track struct {
	device int
	kind   string
}

type thread struct {
	track
	lane int
}

// kinds in the order of their threads below a device; others come after them.
var kinds = []string{result.KindCompute, result.KindTransfer, result.KindHost, result.KindWait}

func (t thread) order() int {
	k := slices.Index(kinds, t.kind)
	if k < 0 {
		k = len(kinds)
	}
	return 1 + 1000*t.device + 100*k + t.lane // after the critical path
}

// row adds the spans of a trial. No time is negative: importers drop those.
func (t *tracer) row(pid int, name string, trial *result.Trial) {
	t.name("process_name", pid, pid, name)
	t.name("process_sort_index", pid, pid, pid)
	spans := slices.Clone(trial.Spans)
	slices.SortStableFunc(spans, func(a, b result.Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Device, b.Device))
	})
	first := min(0, spans[0].Start)
	busy := map[track][]float64{} // until when, per lane
	tids := map[thread]int{}
	for _, s := range spans {
		start := micro(s.Start - first)
		end := max(start, micro(s.End-first))
		on := thread{track{s.Device, line(s.Kind)}, 0}
		on.lane = slices.IndexFunc(busy[on.track], func(until float64) bool { return until <= start })
		if on.lane < 0 {
			on.lane = len(busy[on.track])
			busy[on.track] = append(busy[on.track], 0)
		}
		busy[on.track][on.lane] = end
		tid, known := tids[on]
		if !known {
			tid = t.next
			t.next++
			tids[on] = tid
			t.name("thread_name", pid, tid, t.threadName(on))
			t.name("thread_sort_index", pid, tid, on.order())
		}
		label, dur := line(s.Label), math.Round((end-start)*1e3)/1e3
		if label == "" {
			label = line(s.Kind)
		}
		t.events = append(t.events, event{Name: label, Cat: line(s.Kind), Ph: "X", Ts: &start, Dur: &dur, Pid: pid, Tid: tid,
			Args: map[string]any{"device": s.Device, "launch": trial.Launch, "block": trial.Block}})
	}
	t.path(pid, trial, first)
}

// path adds the critical path as a thread above the others: what the end waited for.
func (t *tracer) path(pid int, trial *result.Trial, first float64) {
	segments := stat.CriticalPath(trial.Spans)
	if len(segments) == 0 {
		return
	}
	tid := t.next
	t.next++
	t.name("thread_name", pid, tid, "critical path")
	t.name("thread_sort_index", pid, tid, 0)
	for _, s := range segments {
		start, label := micro(s.Start-first), line(s.Kind)
		if s.Kind != result.KindHost && s.Kind != result.KindWait {
			label = fmt.Sprintf("%s of device %d", label, s.Device)
		}
		dur := math.Round((max(micro(s.End-first), start)-start)*1e3) / 1e3
		args := map[string]any{"device": s.Device}
		if s.Span >= 0 && trial.Spans[s.Span].Label != "" {
			args["span"] = line(trial.Spans[s.Span].Label)
		}
		t.events = append(t.events, event{Name: label, Cat: "critical path", Ph: "X", Ts: &start, Dur: &dur, Pid: pid, Tid: tid, Args: args})
	}
}

// threadName is "device 0 compute, NAME", in a job with the node before the name: what differs
// comes first, since viewers cut long names.
func (t *tracer) threadName(on thread) string {
	name := strings.TrimSuffix(fmt.Sprintf("device %d %s", on.device, on.kind), " ")
	if on.lane > 0 {
		name += fmt.Sprintf(" (overlapping %d)", on.lane)
	}
	if on.device >= 0 && on.device < len(t.res.Devices) {
		d := t.res.Devices[on.device]
		if d.Node != "" {
			name += ", on " + line(d.Node)
		}
		name += ", " + line(d.Name)
	}
	return name
}

// micro is seconds in microseconds, to the nanosecond.
func micro(seconds float64) float64 { return math.Round(seconds*1e9) / 1e3 }
