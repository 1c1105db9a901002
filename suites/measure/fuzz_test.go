package measure

import (
	"math"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// spoilt is a fake of whose samples every so many are invalid.
type spoilt struct {
	*fake
	every int
	said  map[time.Time]bool // by when a sample began
}

func (s spoilt) Invalid(begin, _ time.Time) (reason, detail string) {
	bad, asked := s.said[begin]
	if !asked {
		bad = s.every > 0 && len(s.reps)%s.every == 0
		s.said[begin] = bad
	}
	if !bad {
		return "", ""
	}
	return result.InvalidThrottled, "thermal"
}

// Whatever times samples take, over six decades, and whichever of them are invalid:
// a launch ends, within its bounds, and says truly why.
func FuzzMeasure(f *testing.F) {
	f.Add([]byte{160}, uint32(12_000), uint32(32), false, uint8(0))
	f.Add([]byte{0, 255, 3}, uint32(0), uint32(0), true, uint8(2))
	f.Add([]byte{200, 201, 200, 199, 90}, uint32(400_000), uint32(2_000_000), true, uint8(5))
	f.Fuzz(func(t *testing.T, times []byte, gate, step uint32, software bool, every uint8) {
		if len(times) == 0 {
			return
		}
		rules := Defaults(software)
		floor := Floor{EmptyGate: float64(gate%1e6) * 1e-9, Granularity: float64(step%1e6) * 1e-9}
		at := func(i int) float64 { return 1e-6 * math.Exp2(float64(times[i%len(times)])/12) }
		s := spoilt{&fake{at: at}, int(every), map[time.Time]bool{}}
		run, err := Meter{Rules: rules, Now: s.now}.Measure(t.Context(), s, floor)
		if err != nil {
			t.Fatal(err)
		}
		n, valid := len(run.Samples), len(run.Samples)-len(run.Invalid)
		if n < 1 || n > rules.MaxSamples || valid < 0 {
			t.Fatalf("%d samples, %d of them valid", n, valid)
		}
		seen := map[int]bool{}
		var good []float64
		for _, x := range run.Invalid {
			if x.Index < 0 || x.Index >= n || seen[x.Index] {
				t.Fatalf("sample %d of %d is invalid, or twice", x.Index, n)
			}
			seen[x.Index] = true
		}
		for i, x := range run.Samples {
			if !seen[i] {
				good = append(good, x)
			}
		}
		if run.Reps < 1 || run.Reps > maxReps {
			t.Fatalf("%d iterations a sample", run.Reps)
		}
		if w := run.Warmup; !w.Steady && w.Seconds < rules.WarmCap {
			t.Fatalf("warm-up gave up early: %+v", w)
		}
		switch run.Stop {
		case StopPrecision:
			if !precise(good, rules.Precision) || len(good) < rules.MinLong {
				t.Fatalf("%d valid samples around %g s are not precise", len(good), stat.Median(good))
			}
		case StopMaxSamples:
			if n != rules.MaxSamples {
				t.Fatalf("stopped at %d samples", n)
			}
		case StopMaxTime:
			if n < rules.MinLong {
				t.Fatalf("stopped by time after %d samples", n)
			}
		default:
			t.Fatalf("stopped by %q", run.Stop)
		}
	})
}
