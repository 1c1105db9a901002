package result

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// The samples of a trial and their times are nearly all of its text. They are read
// by hand; what is left of the trial, and every trial that is not written as Encode
// writes it, is read by encoding/json, which also says what is wrong with it.

// quick is what reading a trial by hand leaves; its memory is used again.
type quick struct {
	rest    []byte // the trial with null in place of what was read by hand
	samples []float64
	shapes  []lengths // of the times of each sample
	values  []float64 // of all of them, as Times holds them
	found   struct{ samples, times bool }
	lean    bool // times and spans are stepped over
}

var quicks = sync.Pool{New: func() any { return new(quick) }}

// UnmarshalJSON reads what MarshalJSON writes. Unknown fields are ignored.
func (t *Trial) UnmarshalJSON(data []byte) error { return t.read(data, false) }

// listed is a trial as it is in a file, with its times one by one.
type listed struct {
	bare
	Times []SampleTimes `json:"times"`
}

// bare is a trial without its own way to be read.
type bare Trial

// trial is what was read.
func (l *listed) trial() Trial {
	t := Trial(l.bare)
	t.Times, t.Size = TimesOf(l.Times...), t.Size.read()
	return t
}

// read is UnmarshalJSON; lean steps over what ReadSamples leaves out.
func (t *Trial) read(data []byte, lean bool) error {
	q := quicks.Get().(*quick)
	defer quicks.Put(q)
	q.lean = lean
	var p listed
	if q.read(data) && json.Unmarshal(q.rest, &p) == nil {
		*t = p.trial()
		if q.found.samples {
			t.Samples = append([]float64{}, q.samples...)
		}
		if q.found.times {
			t.Times = q.taken()
		}
		return nil
	}
	p = listed{}
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	if err := refuseNull(data); err != nil {
		return err
	}
	*t = p.trial()
	if lean {
		t.Times, t.Spans = Times{}, nil
	}
	return nil
}

// refuseNull refuses a sample that is null, which programs write for a number that they do
// not have: encoding/json takes it for 0.
func refuseNull(trial []byte) error {
	var t struct {
		Samples []*float64 `json:"samples"`
	}
	if err := json.Unmarshal(trial, &t); err != nil {
		return err
	}
	if i := slices.Index(t.Samples, nil); i >= 0 {
		return &fault{ErrMalformed, fmt.Sprintf("not a readable amgpu result: sample %d of a trial is null where a time in seconds belongs", i+1)}
	}
	return nil
}

// read takes samples and times out of a trial; false: it is not written plainly.
func (q *quick) read(data []byte) bool {
	q.rest, q.found = q.rest[:0], struct{ samples, times bool }{}
	c := cursor{text: data}
	if !c.next('{') {
		return false
	}
	from := 0 // of what is not in rest yet
	for {
		name, ok := c.name()
		if !ok {
			return false
		}
		at := c.at
		switch field := string(name); {
		case q.lean && (field == "times" || field == "spans"):
			c.space()
			ok = c.skip() == nil
		case field == "samples":
			ok = !q.found.samples
			q.found.samples = true
			if ok {
				q.samples, ok = c.numbers(q.samples[:0])
			}
		case field == "times":
			ok = !q.found.times && q.readTimes(&c)
			q.found.times = true
		default:
			if c.space(); c.skip() != nil {
				return false
			}
			at = c.at
		}
		if !ok {
			return false
		}
		if at < c.at {
			q.rest = append(append(q.rest, data[from:at]...), "null"...)
			from = c.at
		}
		if !c.next(',') {
			q.rest = append(q.rest, data[from:]...)
			return true
		}
	}
}

func (q *quick) readTimes(c *cursor) bool {
	q.shapes, q.values = q.shapes[:0], q.values[:0]
	if !c.next('[') {
		return false
	}
	if c.next(']') {
		return true
	}
	for {
		if !q.readTime(c) {
			return false
		}
		if !c.next(',') {
			return c.next(']')
		}
	}
}

// readTime reads the times of one sample: compute before transfer, as they are kept.
func (q *quick) readTime(c *cursor) bool {
	if !c.next('{') {
		return false
	}
	s, n := SampleTimes{}, lengths{-1, -1}
	for {
		name, ok := c.name()
		if !ok {
			return false
		}
		before := len(q.values)
		switch string(name) {
		case "compute":
			ok = n.compute < 0 && n.transfer < 0
			if ok {
				q.values, ok = c.numbers(q.values)
			}
			n.compute = len(q.values) - before
		case "transfer":
			ok = n.transfer < 0
			if ok {
				q.values, ok = c.numbers(q.values)
			}
			n.transfer = len(q.values) - before
		case "critical":
			s.Critical, ok = c.number()
		case "device":
			s.Device, ok = c.number()
		case "skew":
			s.Skew, ok = c.number()
		default:
			ok = false
		}
		if !ok {
			return false
		}
		if !c.next(',') {
			q.shapes, q.values = append(q.shapes, n), append(q.values, s.Critical, s.Device, s.Skew)
			return c.next('}')
		}
	}
}

// taken are the times read, in memory of their own.
func (q *quick) taken() Times {
	if len(q.shapes) == 0 {
		return Times{}
	}
	first := q.shapes[0]
	if !slices.ContainsFunc(q.shapes, func(l lengths) bool { return l != first }) {
		return Times{number: len(q.shapes), shape: first, values: append(make([]float64, 0, len(q.values)), q.values...)}
	}
	var list []SampleTimes
	left := q.values
	for _, l := range q.shapes {
		one := Times{number: 1, shape: l, values: left[:l.values()]}
		left = left[l.values():]
		list = append(list, one.List()...)
	}
	return TimesOf(list...)
}
