package result

import (
	"encoding/json"
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
	times   []SampleTimes // without their lists
	lengths []lengths     // of these
	values  []float64     // their elements, one list after the other
	found   struct{ samples, times bool }
	lean    bool // times and spans are stepped over
}

// lengths are those of the lists of one sample; -1: not there.
type lengths struct{ compute, transfer int }

var quicks = sync.Pool{New: func() any { return new(quick) }}

// UnmarshalJSON reads what MarshalJSON writes. Unknown fields are ignored.
func (t *Trial) UnmarshalJSON(data []byte) error { return t.read(data, false) }

// read is UnmarshalJSON; lean steps over what ReadSamples leaves out.
func (t *Trial) read(data []byte, lean bool) error {
	type plain Trial
	var p plain
	q := quicks.Get().(*quick)
	defer quicks.Put(q)
	q.lean = lean
	if q.read(data) && json.Unmarshal(q.rest, &p) == nil {
		if q.found.samples {
			p.Samples = append([]float64{}, q.samples...)
		}
		if q.found.times {
			p.Times = q.taken()
		}
	} else {
		p = plain{}
		if err := json.Unmarshal(data, &p); err != nil {
			return err
		}
		if lean {
			p.Times, p.Spans = nil, nil
		}
	}
	*t = Trial(p)
	t.Size = t.Size.read()
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
	q.times, q.lengths, q.values = q.times[:0], q.lengths[:0], q.values[:0]
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
			q.times, q.lengths = append(q.times, s), append(q.lengths, n)
			return c.next('}')
		}
	}
}

// taken are the times read, in memory of their own: one block for all lists.
func (q *quick) taken() []SampleTimes {
	times, values := append([]SampleTimes{}, q.times...), slices.Clone(q.values)
	cut := func(n int) []float64 {
		if n < 0 {
			return nil
		}
		list := values[:n:n]
		values = values[n:]
		if list == nil {
			list = []float64{}
		}
		return list
	}
	for i, n := range q.lengths {
		times[i].Compute, times[i].Transfer = cut(n.compute), cut(n.transfer)
	}
	return times
}
