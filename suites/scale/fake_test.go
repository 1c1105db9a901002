package scale

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/measure"
	"github.com/amgpu/amgpu/suites/program"
)

// load is a workload that only has a name.
type load struct{ id string }

func (w load) Info() suites.Info                          { return suites.Info{ID: w.id, WorkUnit: "flop"} }
func (load) Build(suites.Build) (*program.Program, error) { return nil, errors.New("not built here") }
func (load) Verify(*suites.Check) (suites.Outcome, error) { return suites.Outcome{}, nil }

// moved is measured from end to end only.
type moved struct{ load }

func (m moved) Info() suites.Info {
	return suites.Info{ID: m.id, WorkUnit: "B", Residency: "end-to-end"}
}

// square grows with the square root of the count in each of two directions.
type square struct{ load }

func (square) WeakSize(n int64, count int) int64 { return n * int64(count) * int64(count) }

// machine is an ideal machine on a clock of its own with one second of work per
// unit of size, divided over the devices.
type machine struct {
	clock  time.Time
	open   int
	launch func(Cell) error
	verify func(Cell) (Verification, error)
	sample func(Cell, int) error
	after  func(Cell) string // what Confirm says
	full   []bool
	gates  float64
	steps  []float64 // granularity of the devices' clocks
	gpu    float64   // device time over wall time
	deals  bool      // shares are what samples made them: the first device has one unit a sample
	wrap   func(*session) Session
}

func (m *machine) now() time.Time { return m.clock }

func (m *machine) Launch(_ context.Context, c Cell) (Session, error) {
	if m.launch != nil {
		if err := m.launch(c); err != nil {
			return nil, err
		}
	}
	m.open++
	s := &session{m: m, c: c}
	if m.wrap != nil {
		return m.wrap(s), nil
	}
	return s, nil
}

type session struct {
	m *machine
	c Cell
	n int
}

func (s *session) Verify(_ context.Context, full bool) (Verification, error) {
	s.m.full = append(s.m.full, full)
	if s.m.verify != nil {
		return s.m.verify(s.c)
	}
	return Verification{Digest: fmt.Sprint("d", s.c.Total), Outcome: suites.Outcome{Class: "E0", Checked: 10}}, nil
}

func (s *session) Sample(_ context.Context, reps int) (measure.Sample, error) {
	s.n++
	if s.m.sample != nil {
		if err := s.m.sample(s.c, s.n); err != nil {
			return measure.Sample{}, err
		}
	}
	seconds := 1e-3 * float64(s.c.Total) / float64(s.c.Count)
	s.m.clock = s.m.clock.Add(time.Duration(seconds * float64(reps) * 1e9))
	out := measure.Sample{Seconds: seconds}
	if s.m.gpu > 0 {
		out.Times = &result.SampleTimes{Compute: []float64{seconds * s.m.gpu}}
	}
	return out, nil
}

func (s *session) Confirm(context.Context) (string, error) {
	if s.m.after != nil {
		return s.m.after(s.c), nil
	}
	return "", nil
}

func (s *session) EmptyGate(context.Context) (float64, error) { return s.m.gates, nil }

func (s *session) Facts() Facts {
	shares := make([]int64, s.c.Count)
	if s.m.deals {
		shares[0] = int64(s.n)
	}
	return Facts{Total: s.c.Total, Shares: shares, Transport: "host",
		Work: result.Work{Value: float64(s.c.Total), Unit: "flop"}, Granularity: s.m.steps}
}

func (s *session) Close() error { s.m.open--; return nil }

// keeper keeps trials and can fail or act after the n-th.
type keeper struct {
	started []Cell
	trials  []result.Trial
	after   func(n int) error
}

func (k *keeper) Started(c Cell, _, _ int) { k.started = append(k.started, c) }

func (k *keeper) Done(_ Cell, t result.Trial, _, _ int) error {
	k.trials = append(k.trials, t)
	if k.after != nil {
		return k.after(len(k.trials))
	}
	return nil
}

func pool(names ...string) []result.Device {
	out := make([]result.Device, len(names))
	for i, n := range names {
		out[i] = result.Device{Index: 10 + i, Name: n, Driver: "d"}
	}
	return out
}

func config(n int) Config {
	p, _ := FindPreset("default", true)
	p.Launches = 4
	return Config{
		Items: []Item{{Workload: load{"a/b"}, Size: result.Size{Label: "S", N: 12}}},
		Modes: []string{Strong, Weak}, Counts: []int{1, 2}, Pool: pool(slices.Repeat([]string{"g"}, n)...),
		Subsets: "rotate", Strategy: "equal", Transport: "auto", Preset: p, Seed: 7,
	}
}
