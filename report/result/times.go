package result

import (
	"encoding/json"
	"iter"
	"slices"
)

// SampleTimes are sums over one sample, in seconds of one iteration.
type SampleTimes struct {
	// Compute and Transfer per device: union of compute intervals, and copy
	// intervals not hidden behind compute.
	Compute  []float64 `json:"compute"`
	Transfer []float64 `json:"transfer"`
	// Critical is the sum over phases of the largest compute time of a device, or where
	// devices run into the next phase, the longest chain of such times;
	// Device the same for compute plus exposed transfer (measurement.md 3.3).
	Critical float64 `json:"critical"`
	Device   float64 `json:"device"`
	Skew     float64 `json:"skew,omitempty"` // start skew, seconds per sample; 0 = not known
}

// Times are those of the samples of a trial, in their order. A large result holds
// millions, so their numbers lie one after the other: 24 bytes a sample and 16 for each
// device, half of what as many SampleTimes take. The zero value is none.
type Times struct {
	number int
	shape  lengths   // of the lists of every sample
	values []float64 // by sample: compute, transfer, then critical, device and skew
	uneven []SampleTimes
}

// lengths are those of the lists of one sample; -1: not there.
type lengths struct{ compute, transfer int }

// scalars is how many values of a sample are in no list.
const scalars = 3

// values is how many of a sample are kept.
func (l lengths) values() int { return max(l.compute, 0) + max(l.transfer, 0) + scalars }

func lengthsOf(s SampleTimes) lengths {
	l := lengths{len(s.Compute), len(s.Transfer)}
	if s.Compute == nil {
		l.compute = -1
	}
	if s.Transfer == nil {
		l.transfer = -1
	}
	return l
}

// TimesOf are these times.
func TimesOf(list ...SampleTimes) (t Times) {
	if len(list) == 0 {
		return t
	}
	t.number, t.shape = len(list), lengthsOf(list[0])
	if slices.ContainsFunc(list, func(s SampleTimes) bool { return lengthsOf(s) != t.shape }) {
		return Times{number: len(list), uneven: slices.Clone(list)} // of teams that differ within a trial: nothing we wrote
	}
	t.values = make([]float64, 0, len(list)*t.shape.values())
	for _, s := range list {
		t.values = append(append(append(t.values, s.Compute...), s.Transfer...), s.Critical, s.Device, s.Skew)
	}
	return t
}

// Len is how many samples have times: all of a trial, or none.
func (t *Times) Len() int { return t.number }

// At are the times of sample i. Its lists are those of t.
func (t *Times) At(i int) SampleTimes {
	if t.uneven != nil {
		return t.uneven[i]
	}
	n := t.shape.values()
	v := t.values[i*n : (i+1)*n : (i+1)*n]
	cut := func(n int) []float64 {
		if n < 0 {
			return nil
		}
		list := v[:n:n]
		v = v[n:]
		return list
	}
	s := SampleTimes{Compute: cut(t.shape.compute), Transfer: cut(t.shape.transfer)}
	s.Critical, s.Device, s.Skew = v[0], v[1], v[2]
	return s
}

// All are the times of all samples, by their number.
func (t *Times) All() iter.Seq2[int, SampleTimes] {
	return func(yield func(int, SampleTimes) bool) {
		for i := range t.number {
			if !yield(i, t.At(i)) {
				return
			}
		}
	}
}

// List are copies of the times of all samples; nil: there are none.
func (t *Times) List() (list []SampleTimes) {
	for _, s := range t.All() {
		s.Compute, s.Transfer = slices.Clone(s.Compute), slices.Clone(s.Transfer)
		list = append(list, s)
	}
	return list
}

// IsZero says that there are none; a trial in a file has no such field then.
func (t Times) IsZero() bool { return t.number == 0 }

// Equal says whether two trials' times are the same.
func (t Times) Equal(o Times) bool {
	same := func(a, b SampleTimes) bool {
		return lengthsOf(a) == lengthsOf(b) && slices.Equal(a.Compute, b.Compute) && slices.Equal(a.Transfer, b.Transfer) &&
			a.Critical == b.Critical && a.Device == b.Device && a.Skew == b.Skew
	}
	for i, s := range t.All() {
		if i >= o.number || !same(s, o.At(i)) {
			return false
		}
	}
	return t.number == o.number
}

// MarshalJSON writes a list of the samples' times.
func (t Times) MarshalJSON() ([]byte, error) {
	list := make([]SampleTimes, 0, t.number)
	for _, s := range t.All() {
		list = append(list, s)
	}
	return json.Marshal(list)
}
