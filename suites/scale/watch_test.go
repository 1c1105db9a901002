package scale

import (
	"context"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

// sensed is a machine whose sessions read sensors.
type sensed struct{ *machine }

type sensedSession struct{ Session }

func (m sensed) Launch(ctx context.Context, c Cell) (Session, error) {
	s, err := m.machine.Launch(ctx, c)
	return sensedSession{s}, err
}

func (sensedSession) Watched(t *result.Trial) {
	t.Clocks = make([]float64, len(t.Samples)) // as many samples as the trial has
}

// What a session's sensors say goes into its trial, once the samples are there; and
// the pause before a launch is the idle guard's.
func TestSensorsAndRest(t *testing.T) {
	c := config(2)
	c.Preset.Idle = 5 * time.Second
	cells, err := Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	m, k := &machine{}, &keeper{}
	var rested [][]int
	s := Sweep{Machine: sensed{m}, Observer: k, Pool: c.Pool, Preset: c.Preset, Now: m.now,
		Rest: func(_ context.Context, c Cell, limit time.Duration) {
			if limit != 5*time.Second {
				t.Errorf("rests for up to %v", limit)
			}
			rested = append(rested, c.Devices)
		}}
	if err := s.Run(t.Context(), cells); err != nil {
		t.Fatal(err)
	}
	if len(rested) != len(cells)-1 {
		t.Errorf("rested %d times between %d launches", len(rested), len(cells))
	}
	for i, tr := range k.trials {
		if len(tr.Samples) == 0 || len(tr.Clocks) != len(tr.Samples) {
			t.Errorf("trial %d: %d clocks of %d samples", i, len(tr.Clocks), len(tr.Samples))
		}
	}
}
