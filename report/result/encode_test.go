package result

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
)

// full takes so many bytes and then fails.
type full int

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if *f -= full(len(b)); *f < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// What cannot be encoded or written ends the encoding with its error, wherever among the
// trials it is, and afterwards nobody looks at the trials any more.
func TestEncodeEnds(t *testing.T) {
	res := &Result{Schema: Schema, Trials: make([]Trial, 200)}
	for i := range res.Trials {
		res.Trials[i].Launch, res.Trials[i].Samples = i, make([]float64, 500)
	}
	var whole bytes.Buffer
	if err := Encode(&whole, res); err != nil || strings.Count(whole.String(), `"launch":`) != 200 {
		t.Fatal(err)
	}
	for _, size := range []int{0, 70_000, whole.Len() - 1} {
		room := full(size)
		if err := Encode(&room, res); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: %v", size, err)
		}
		res.Trials[199].Reason = "changed at once" // a race if somebody still reads
	}
	for _, i := range []int{0, 100, 199} {
		res.Trials[i].Samples[3] = math.NaN()
		if err := Encode(new(bytes.Buffer), res); err == nil || !strings.Contains(err.Error(), "NaN") {
			t.Errorf("no number in trial %d: %v", i, err)
		}
		res.Trials[i].Samples[3] = 0
	}
}
