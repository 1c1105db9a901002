package stat

import (
	"cmp"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// Message is what one row of the family comm says about a message of Bytes bytes: the
// time, and the bus bandwidth over S/t (nccl-tests' PERFORMANCE.md: 2(N-1)/N for an
// all-reduce, (N-1)/N, or 1), which the rate of such a row includes.
type Message struct {
	Bytes   float64
	Seconds float64
	Factor  float64
}

// MessageOf reads a row; ok is false for other families and rows without a rate.
// Sizes of the family count float32 elements.
func MessageOf(r result.Summary) (m Message, ok bool) {
	if !strings.HasPrefix(r.Workload, "comm/") || r.Rate == nil || r.Seconds == nil || r.Size.N < 1 || r.Seconds.Median <= 0 {
		return Message{}, false
	}
	m = Message{Bytes: 4 * float64(r.Size.N), Seconds: r.Seconds.Median}
	m.Factor = r.Rate.Value * m.Seconds / m.Bytes
	return m, true
}

// Algorithm is S/t in B/s.
func (m Message) Algorithm() float64 { return m.Bytes / m.Seconds }

// Latency is the line t = a + S/b through the messages of one series and count, and where
// each row is of one device alone through those of that device.
type Latency struct {
	Last        result.Summary // the row of the largest message
	Sizes       int
	Least, Most float64 // bytes
	Start       float64 // a, seconds
	Bandwidth   float64 // b, B/s
	Factor      float64 // bus bandwidth over b
	Worst       float64 // largest deviation of a time, as a share of it
}

// fewestSizes is what a line is fitted through at least.
const fewestSizes = 3

// Latencies fits a line through every series of rows of the family comm that differ
// in size only, by least squares of the relative deviations: sizes span nine decades,
// and the largest alone would decide otherwise. Where the line starts below zero it is
// fitted through zero.
func Latencies(rows []result.Summary) []Latency {
	type series struct {
		key    result.Key
		count  int
		device int // of a solo row; -1: of no other
	}
	found := map[series][]Message{}
	last := map[series]result.Summary{}
	var order []series
	for _, r := range rows {
		m, ok := MessageOf(r)
		if !ok {
			continue
		}
		id := series{r.Key, r.Count, -1}
		id.key.Size = result.Size{}
		if r.Mode == "solo" && len(r.Teams) == 1 && len(r.Teams[0]) == 1 {
			id.device = r.Teams[0][0]
		}
		if found[id] == nil {
			order = append(order, id)
		}
		if last[id].Size.N <= r.Size.N {
			last[id] = r
		}
		found[id] = append(found[id], m)
	}
	var out []Latency
	for _, id := range order {
		list := found[id]
		slices.SortFunc(list, func(a, b Message) int { return cmp.Compare(a.Bytes, b.Bytes) })
		if l, ok := latency(list); ok {
			l.Last = last[id]
			out = append(out, l)
		}
	}
	return out
}

// latency fits messages in ascending order; ok is false where no line rises.
func latency(list []Message) (l Latency, ok bool) {
	if len(list) < fewestSizes {
		return l, false
	}
	var w, ws, wss, wt, wst float64
	for _, m := range list {
		k := 1 / (m.Seconds * m.Seconds)
		w, ws, wss = w+k, ws+k*m.Bytes, wss+k*m.Bytes*m.Bytes
		wt, wst = wt+k*m.Seconds, wst+k*m.Bytes*m.Seconds
	}
	det := w*wss - ws*ws
	if det <= 0 {
		return l, false
	}
	start, slope := (wss*wt-ws*wst)/det, (w*wst-ws*wt)/det
	if start < 0 {
		start, slope = 0, wst/wss
	}
	if slope <= 0 {
		return l, false
	}
	end := list[len(list)-1]
	l = Latency{Sizes: len(list), Least: list[0].Bytes, Most: end.Bytes, Start: start, Bandwidth: 1 / slope, Factor: end.Factor}
	for _, m := range list {
		l.Worst = max(l.Worst, max(start+slope*m.Bytes-m.Seconds, m.Seconds-start-slope*m.Bytes)/m.Seconds)
	}
	return l, true
}
