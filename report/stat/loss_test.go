package stat

import (
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// phases are the compute and transfer seconds of each device in each phase.
type phases struct{ compute, transfer [][]float64 }

// time fills a trial with samples that are the phases' sum plus host seconds.
func (p phases) time(t *result.Trial, host float64) {
	devices := t.Count
	s := result.SampleTimes{Compute: make([]float64, devices), Transfer: make([]float64, devices)}
	for k := range p.compute {
		critical, device := 0.0, 0.0
		for i := range devices {
			u, c := p.compute[k][i], 0.0
			if p.transfer != nil {
				c = p.transfer[k][i]
			}
			s.Compute[i] += u
			s.Transfer[i] += c
			critical, device = max(critical, u), max(device, u+c)
		}
		s.Critical += critical
		s.Device += device
	}
	t.Samples = nil
	var list []result.SampleTimes
	for i := range 20 {
		scale := 1 + 0.001*float64(i%5)
		x := result.SampleTimes{Critical: s.Critical * scale, Device: s.Device * scale}
		for d := range devices {
			x.Compute = append(x.Compute, s.Compute[d]*scale)
			x.Transfer = append(x.Transfer, s.Transfer[d]*scale)
		}
		list = append(list, x)
		t.Samples = append(t.Samples, (s.Device+host)*scale)
	}
	t.Times = result.TimesOf(list...)
}

// team is a strong series of one and two devices; the pair does p.
func team(p phases, host float64) *bench {
	b := newBench("default", 1, 1)
	for block := range 7 {
		phases{compute: [][]float64{{1}, {1}}}.time(b.add("strong", block, 1, 1000, block%2), 0.02)
		p.time(b.add("strong", block, 1, 1000, 0, 1), host)
	}
	return b
}

// TestLossNamesTheCause gives one cause at a time: it must be named within two
// points, and nothing else above two (A1).
func TestLossNamesTheCause(t *testing.T) {
	for name, c := range map[string]struct {
		p    phases
		host float64
		want float64
		of   func(*result.Lost) *float64
	}{
		"imbalance": {phases{compute: [][]float64{{.45, .55}, {.45, .55}}}, .01, .09,
			func(l *result.Lost) *float64 { return l.Imbalance }},
		"serialization": {phases{compute: [][]float64{{.6, .4}, {.4, .6}}}, .01, .167,
			func(l *result.Lost) *float64 { return l.Serialization }},
		"transfer": {phases{compute: [][]float64{{.5, .5}, {.5, .5}}, transfer: [][]float64{{.1, .1}, {0, 0}}}, .01, .09,
			func(l *result.Lost) *float64 { return l.Transfer }},
		"orchestration": {phases{compute: [][]float64{{.5, .5}, {.5, .5}}}, .12, .09,
			func(l *result.Lost) *float64 { return l.Orchestration }},
		"rate": {phases{compute: [][]float64{{.55, .55}, {.55, .55}}}, .01, .09,
			func(l *result.Lost) *float64 { return l.Rate }},
	} {
		b := team(c.p, c.host)
		r := b.row(t, "strong", 2)
		if r.Lost == nil {
			t.Errorf("%s: not attributed: %v", name, r.Warnings)
			continue
		}
		named := c.of(r.Lost)
		near(t, name, *named, c.want, 0.02)
		sum := 0.0
		for _, l := range []*float64{r.Lost.Imbalance, r.Lost.Serialization, r.Lost.Transfer, r.Lost.Orchestration, r.Lost.Rate} {
			sum += *l
			if l != named && (*l > 0.02 || *l < -0.02) {
				t.Errorf("%s: another cause has %.3f", name, *l)
			}
		}
		near(t, name+", sum", sum, 1-r.Efficiency.Value, 1e-3)
		if r.Lost.Clock != nil || r.Lost.Work != nil {
			t.Error("causes that were not measured are named")
		}
	}
}

func TestLossRedundantWork(t *testing.T) {
	b := team(phases{compute: [][]float64{{.55, .55}, {.55, .55}}}, .01)
	for i := range b.res.Trials {
		b.res.Trials[i].Work.Issued = 1000
		if b.res.Trials[i].Count == 2 {
			b.res.Trials[i].Work.Issued = 1100 // a halo computed twice
		}
	}
	r := b.row(t, "strong", 2)
	if r.Lost == nil || r.Lost.Work == nil {
		t.Fatalf("%+v", r)
	}
	near(t, "work", *r.Lost.Work, .09, .01)
	near(t, "rate", *r.Lost.Rate, 0, 1e-6)
}

// TestLossUnequal: with the reference of S8 and A3 the identity holds on unequal
// devices as well; an equal split on a pool of 3:1 loses by imbalance.
func TestLossUnequal(t *testing.T) {
	b := newBench("default", 3, 1)
	for block := range 7 {
		phases{compute: [][]float64{{1.0 / 3}}}.time(b.add("solo", block, 1, 1000, 0), 0)
		phases{compute: [][]float64{{1}}}.time(b.add("solo", block, 1, 1000, 1), 0)
		phases{compute: [][]float64{{1.0 / 6, .5}}}.time(b.add("strong", block, 1, 1000, 0, 1), 0)
	}
	r := b.row(t, "strong", 2)
	if r.Lost == nil {
		t.Fatalf("%v", r.Warnings)
	}
	near(t, "E", r.Efficiency.Value, .5, 1e-6)
	near(t, "sum", *r.Lost.Imbalance+*r.Lost.Serialization+*r.Lost.Transfer+*r.Lost.Orchestration+*r.Lost.Rate, .5, 1e-6)
	near(t, "imbalance", *r.Lost.Imbalance+*r.Lost.Rate, .5, 1e-6)
}

func TestLossNotAttributable(t *testing.T) {
	good := phases{compute: [][]float64{{.5, .5}, {.5, .5}}}
	for name, spoil := range map[string]func(*result.Trial){
		"no times":      func(t *result.Trial) { t.Times = result.Times{} },
		"times missing": func(t *result.Trial) { t.Times = result.TimesOf(t.Times.List()[:3]...) },
		"device missing": func(t *result.Trial) {
			edit(t, func(i int, s *result.SampleTimes) {
				if i == 2 {
					s.Compute = []float64{1}
				}
			})
		},
		"clocks disagree": func(t *result.Trial) { t.Samples = append([]float64(nil), t.Samples...); scale(t.Samples, .5) },
	} {
		b := team(good, .01)
		for i := range b.res.Trials {
			if b.res.Trials[i].Count == 2 {
				spoil(&b.res.Trials[i])
			}
		}
		r := b.row(t, "strong", 2)
		if r.Lost != nil || !hasCode(r.Warnings, "not-attributable") {
			t.Errorf("%s: %+v", name, r.Lost)
		}
	}
}

func scale(xs []float64, by float64) {
	for i := range xs {
		xs[i] *= by
	}
}

// TestLossFallBack: phases that overlap leave the form without serialization (A4).
func TestLossFallBack(t *testing.T) {
	b := team(phases{compute: [][]float64{{.5, .5}, {.5, .5}}}, .01)
	for i := range b.res.Trials {
		edit(&b.res.Trials[i], func(_ int, s *result.SampleTimes) { s.Device *= 1.5 })
	}
	r := b.row(t, "strong", 2)
	if r.Lost == nil || r.Lost.Serialization != nil {
		t.Fatalf("%+v %v", r.Lost, r.Warnings)
	}
}

func TestDoubts(t *testing.T) {
	b := newBench("default", 1, 1)
	for block := range 7 {
		b.add("strong", block, 1, 1000, 0)
		tr := b.add("strong", block, []float64{.5, .6}[block%2], 1000, 0, 1)
		tr.Warmup = result.Warmup{Samples: 9, Steady: false}
		tr.Stop, tr.EmptyGate = "max-time", 0.1
		tr.Warnings = []result.Warning{{Code: "host-load", Text: "the CPU is busy"}}
		for i := range tr.Samples {
			tr.Samples[i] *= 1 + .1*float64(i)
		}
		tr.Times = result.TimesOf(result.SampleTimes{Skew: .1})
	}
	r := b.row(t, "strong", 2)
	for _, code := range []string{"not-steady", "noise-limited", "dependent-samples", "bimodal", "launch-bound", "start-skew", "host-load"} {
		if !hasCode(r.Warnings, code) {
			t.Errorf("%s is not said: %v", code, r.Warnings)
		}
	}
	for _, w := range r.Warnings {
		if w.Code == "host-load" && !strings.Contains(w.Text, "7 launches") {
			t.Errorf("%q does not say how often", w.Text)
		}
	}
	if calm := b.row(t, "strong", 1); len(calm.Warnings) > 0 {
		t.Errorf("a calm row has doubts: %v", calm.Warnings)
	}
	if r.Spread == nil || r.Spread.P95 == nil || r.Spread.P99 != nil || r.Spread.Min > r.Seconds.Median {
		t.Errorf("spread %+v", r.Spread)
	}
}

// edit changes the times of every sample of a trial.
func edit(t *result.Trial, change func(i int, s *result.SampleTimes)) {
	list := t.Times.List()
	for i := range list {
		change(i, &list[i])
	}
	t.Times = result.TimesOf(list...)
}
