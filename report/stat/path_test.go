package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/quick"

	"github.com/amgpu/amgpu/report/result"
)

// drawn reads a timeline: a line per device, letters for its kinds (c compute, t transfer,
// w wait, h host, space nothing), one for each second.
func drawn(lines ...string) []result.Span {
	kinds := map[byte]string{'c': result.KindCompute, 't': result.KindTransfer, 'w': result.KindWait, 'h': result.KindHost}
	var out []result.Span
	for device, line := range lines {
		for from := 0; from < len(line); {
			to := from
			for to < len(line) && line[to] == line[from] {
				to++
			}
			if kind := kinds[line[from]]; kind != "" {
				out = append(out, result.Span{Device: device, Kind: kind, Start: float64(from), End: float64(to)})
			}
			from = to
		}
	}
	return out
}

func said(segments []Segment) string {
	var out []string
	for _, s := range segments {
		out = append(out, fmt.Sprintf("%c%d %g-%g", s.Kind[0], s.Device, s.Start, s.End))
	}
	return strings.Join(out, ", ")
}

func TestCriticalPath(t *testing.T) {
	beside := append(drawn("hccccccccc", "hcccccwwww"), result.Span{Kind: result.KindTransfer, Start: 1, End: 12}, result.Span{Device: 1, Kind: result.KindWait, Start: 10, End: 12})
	for name, x := range map[string]struct {
		spans []result.Span
		want  string
	}{
		"one device":             {drawn("hccch"), "h0 0-1, c0 1-4, h0 4-5"},
		"the slower device":      {drawn("hccwwwh", "hcccccch"[:7]), "h1 0-1, c1 1-7"},
		"the slow one, then end": {drawn("hccwwwwh", "hcccccch"), "h1 0-1, c1 1-7, h0 7-8"},
		"turns": {drawn(
			"hcccwhccccch",
			"hcccchccwwwh"), "h1 0-1, c1 1-5, h0 5-6, c0 6-11, h0 11-12"},
		"a copy is waited for": {drawn(
			"hcccwwwwhcch",
			"hccctttthcch"), "h1 0-1, c1 1-4, t1 4-8, h0 8-9, c0 9-11, h0 11-12"},
		"pipeline": {drawn(
			"hcchwwwwwh",
			"hwwhccchwh"[:7]+"hwh",
			"hwwhwwwhch"), "h0 0-1, c0 1-3, h1 3-4, c1 4-7, h2 7-8, c2 8-9, h0 9-10"},
		"copies that compute hides, but not all of it": {append(beside, result.Span{Kind: result.KindHost, Start: 12, End: 13}, result.Span{Device: 1, Kind: result.KindHost, Start: 12, End: 13}),
			"h0 0-1, t0 1-12, h0 12-13"},
		"a copy in the middle of what goes on": {append(drawn("cccccc"), result.Span{Kind: result.KindTransfer, Start: 2, End: 8}), "c0 0-2, t0 2-8"},
		"no waits were recorded":               {drawn("cc   cc", "ccc"), "c1 0-3, w0 3-5, c0 5-7"},
		"a gap that nobody fills":              {drawn("ccwwcc", "cwwwcc"), "c0 0-2, w0 2-4, c0 4-6"},
		"waiting only":                         {drawn("www"), "w0 0-3"},
		"nothing":                              {nil, ""},
		"no length":                            {[]result.Span{{Kind: result.KindCompute, Start: 1, End: 1}, {Kind: "odd", Start: 4, End: 2}}, ""},
	} {
		if got := said(CriticalPath(x.spans)); got != x.want {
			t.Errorf("%s: %s, want %s", name, got, x.want)
		}
	}
	if CriticalPath(make([]result.Span, mostPathSpans+1)) != nil {
		t.Error("a path through too many spans")
	}
}

// TestPathCovers: whatever the spans are, the path has no gap, goes from the first start
// to the last end, and each segment lies in its span.
func TestPathCovers(t *testing.T) {
	kinds := []string{result.KindCompute, result.KindTransfer, result.KindWait, result.KindHost, "odd", ""}
	holds := func(seed uint64) bool {
		r := rand.New(rand.NewPCG(seed, 1))
		spans := make([]result.Span, 1+r.IntN(40))
		first, last := math.Inf(1), math.Inf(-1)
		for i := range spans {
			from := float64(r.IntN(50))
			spans[i] = result.Span{Device: r.IntN(4), Kind: kinds[r.IntN(len(kinds))], Start: from, End: from + float64(1+r.IntN(20))}
			first, last = min(first, from), max(last, spans[i].End)
		}
		path := CriticalPath(spans)
		if len(path) == 0 || path[0].Start != first || path[len(path)-1].End != last {
			return false
		}
		for i, s := range path {
			if !(s.End > s.Start) || i > 0 && path[i-1].End != s.Start {
				return false
			}
			if s.Span < 0 {
				continue
			}
			if sp := spans[s.Span]; sp.Device != s.Device || sp.Kind != s.Kind || s.End > sp.End || s.Kind != result.KindWait && s.Start != sp.Start {
				return false
			}
		}
		return true
	}
	if err := quick.Check(holds, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}

func TestBottleneck(t *testing.T) {
	for name, x := range map[string]struct {
		spans  []result.Span
		kind   string
		share  float64
		device int // -1: none
		wait   float64
	}{
		"a slow device":           {drawn("hccwwwwwwh", "hcccccccch"), result.KindCompute, 0.8, 1, 0.6},
		"a slow one of three":     {drawn("hcccccccch", "hccwwwwwwh", "hcccccccwh"), result.KindCompute, 0.8, 0, 0.35},
		"equal devices":           {drawn("hcccccccch", "hcccccccch"), result.KindCompute, 0.8, -1, 0},
		"devices that take turns": {drawn("hccccwwwwh", "hwwwwcccch"), result.KindCompute, 0.8, -1, 0},
		"a copy":                  {drawn("hctttttth", "hcwwwwwwh"), result.KindTransfer, 6. / 9, 0, 6. / 9},
		"the host":                {drawn("hhhhhcch", "hhhhhcch"), result.KindHost, 6. / 8, -1, 0},
		"one device":              {drawn("hcccccccch"), result.KindCompute, 0.8, -1, 0},
		"nobody knows":            {drawn("cwwwwwwc", "cwwwwwwc"), result.KindWait, 6. / 8, -1, 0},
	} {
		tr := &result.Trial{Status: result.OK, Samples: []float64{4, 5, 6}, Reps: 4, Spans: x.spans, Launch: 3, Block: 2}
		for d := range 3 {
			for _, s := range x.spans {
				if s.Device == d {
					tr.Devices = append(tr.Devices, d)
					break
				}
			}
		}
		p := PathOf(tr)
		b, sum := p.Bottleneck, 0.0
		for i, part := range p.Parts {
			sum += part.Share
			if i > 0 && part.Share > p.Parts[i-1].Share || (part.Device == nil) != (part.Kind == result.KindHost || part.Kind == result.KindWait) {
				t.Errorf("%s: part %d: %+v", name, i, part)
			}
		}
		device := -1
		if b.Device != nil {
			device = *b.Device
		}
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
		if b.Kind != x.kind || !near(b.Share, x.share) || device != x.device || !near(b.Waiting, x.wait) || !near(sum, 1) {
			t.Errorf("%s: %+v (device %d), the parts add up to %g", name, b, device, sum)
		}
		if p.Launch != 3 || p.Block != 2 || !near(p.Covered, p.Seconds/20) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestSpannedLaunch: the launch in the middle of those that hold spans, and the row names
// its path.
func TestSpannedLaunch(t *testing.T) {
	res := &result.Result{Devices: []result.Device{{}, {Index: 1}}}
	for launch, seconds := range []float64{3, 1, 2, 9} {
		tr := result.Trial{Key: result.Key{Workload: "w", Mode: "strong"}, Count: 2, Devices: []int{0, 1}, Launch: launch, Status: result.OK, Samples: []float64{seconds, seconds}}
		if seconds < 9 {
			tr.Spans = drawn("hccwwwwwwh", "hcccccccch")
		}
		res.Trials = append(res.Trials, tr)
	}
	rows, _, _ := Summary(res)
	if len(rows) != 1 || rows[0].Path == nil || rows[0].Path.Launch != 2 || *rows[0].Path.Bottleneck.Device != 1 {
		t.Errorf("%+v", rows)
	}
	res.Trials = res.Trials[3:]
	if rows, _, _ = Summary(res); rows[0].Path != nil {
		t.Errorf("a path without spans: %+v", rows[0].Path)
	}
	res.Trials[0].Status, res.Trials[0].Spans = result.WrongResult, drawn("c")
	if rows, _, _ = Summary(res); rows[0].Path != nil || SpannedLaunch([]*result.Trial{&res.Trials[0]}) != nil {
		t.Error("a path of a wrong result")
	}
}
