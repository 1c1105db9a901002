package pac

import (
	"encoding/binary"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/suites/input"
)

// EDF, the European data format (Kemp et al. 1992; EDF+ 2003): a header of 256 bytes, 256
// more for each signal, then data records: for each signal so many samples of 16 bits,
// scaled from the digital to the physical range. Signals of annotations are left out, and so
// are those sampled more slowly than the fastest ones. The recording is one item.

const edfHeader = 256

// edfSignal is one signal's place in a data record and its scale.
type edfSignal struct {
	offset, samples int64 // in a record, counted in samples
	scale, shift    float64
	used            bool
}

// edfField is the text of a fixed field.
type edfField struct {
	text   string
	offset int64
}

func (f edfField) whole(name string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(f.text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, input.Fault(f.offset, "%s is %.20q: a whole number from %d to %d belongs here", name, f.text, least, most)
	}
	return n, nil
}

func (f edfField) number(name string) (float64, error) {
	x, err := strconv.ParseFloat(f.text, 64)
	if err != nil || math.IsNaN(x) || math.Abs(x) > 1e30 {
		return 0, input.Fault(f.offset, "%s is %.20q: a number belongs here", name, f.text)
	}
	return x, nil
}

func readEDF(f io.ReaderAt, size, free int64) (*recording, error) {
	header := make([]byte, edfHeader)
	if _, err := f.ReadAt(header, 0); err != nil {
		return nil, input.Fault(size, "the file ends inside the header of %d bytes", edfHeader)
	}
	field := func(at, n int64) edfField {
		return edfField{strings.TrimSpace(string(header[at : at+n])), at}
	}
	if kind := field(192, 44); strings.HasPrefix(kind.text, "EDF+D") {
		return nil, input.Fault(192, "EDF+D, a recording with gaps: give a continuous one")
	}
	signals, err := field(252, 4).whole("the number of signals", 1, 9999)
	if err != nil {
		return nil, err
	}
	seconds, err := field(244, 8).number("the duration of a record")
	if err != nil {
		return nil, err
	}
	if seconds <= 0 {
		return nil, input.Fault(244, "the duration of a record is %g s: it must be above 0", seconds)
	}
	from := edfHeader * (signals + 1)
	if from > size {
		return nil, input.Fault(252, "%d signals need a header of %d bytes, the file has %d", signals, from, size)
	}
	if said := field(184, 8); said.text != strconv.FormatInt(from, 10) {
		return nil, input.Fault(184, "the header is said to have %.20q bytes: %d for %d signals belong here", said.text, from, signals)
	}
	records, err := field(236, 8).whole("the number of records", -1, 1<<40)
	if err != nil {
		return nil, err
	}
	more := make([]byte, from-edfHeader)
	if _, err := f.ReadAt(more, edfHeader); err != nil {
		return nil, input.Fault(edfHeader, "%v", input.Cause(err))
	}
	list, width, err := edfSignals(more, signals)
	if err != nil {
		return nil, err
	}
	if records < 0 { // unknown, as while recording goes on
		records = (size - from) / (2 * width)
	}
	if records > (size-from)/(2*width) {
		return nil, input.Fault(236, "%d records of %d bytes are announced, %d bytes follow the header: is the file complete?", records, 2*width, size-from)
	}
	if 2*width > free/2 {
		return nil, input.Fault(256, "a record of %d bytes takes more than half of the %d bytes of memory that are free: give a recording of shorter records", 2*width, free)
	}
	return readRecords(f, list, records, seconds, from, width, free)
}

// edfSignals reads the headers of the signals and returns them with the samples of all
// in one record.
func edfSignals(raw []byte, signals int64) (list []edfSignal, width int64, err error) {
	// field is number i of a field of n bytes whose first one is `skip` bytes per signal in.
	field := func(skip, n, i int64) edfField {
		at := skip*signals + n*i
		return edfField{strings.TrimSpace(string(raw[at : at+n])), edfHeader + at}
	}
	most := int64(0)
	for i := range signals {
		s := edfSignal{offset: width, used: !strings.HasPrefix(field(0, 16, i).text, "EDF Annotations")}
		if s.samples, err = field(216, 8, i).whole("the samples of a record", 1, 1<<24); err != nil {
			return nil, 0, err
		}
		width += s.samples
		if s.used {
			var v [4]float64
			for k, name := range []string{"the physical minimum", "the physical maximum"} {
				if v[k], err = field(104+8*int64(k), 8, i).number(name); err != nil {
					return nil, 0, err
				}
			}
			for k, name := range []string{"the digital minimum", "the digital maximum"} {
				n, err := field(120+8*int64(k), 8, i).whole(name, math.MinInt16, math.MaxInt16)
				if err != nil {
					return nil, 0, err
				}
				v[2+k] = float64(n)
			}
			if v[2] >= v[3] || v[0] == v[1] {
				at := field(104, 8, i).offset
				return nil, 0, input.Fault(at, "signal %d has the physical range %g to %g and the digital range %g to %g: neither may be empty", i+1, v[0], v[1], v[2], v[3])
			}
			s.scale = (v[1] - v[0]) / (v[3] - v[2])
			s.shift = v[0] - v[2]*s.scale
			most = max(most, s.samples)
		}
		list = append(list, s)
	}
	for i := range list {
		list[i].used = list[i].used && list[i].samples == most
	}
	if most == 0 {
		return nil, 0, input.Fault(edfHeader, "all %d signals are annotations", signals)
	}
	return list, width, nil
}

// readRecords reads the samples of the signals in use.
func readRecords(f io.ReaderAt, list []edfSignal, records int64, seconds float64, from, width, free int64) (*recording, error) {
	r := &recording{items: 1}
	each := int64(0)
	for _, s := range list {
		if s.used {
			r.channels++
			each = s.samples
		}
	}
	r.samples, r.fs = records*each, float64(each)/seconds
	if err := fits(236, 1, r.channels, r.samples, free); err != nil {
		return nil, err
	}
	r.data = make([]float32, r.channels*r.samples)
	record := int64(0)
	err := readBlocks(f, from, records*width*2, width*2, func(_ int64, raw []byte) error {
		for ; len(raw) > 0; raw, record = raw[2*width:], record+1 {
			channel := int64(0)
			for _, s := range list {
				if !s.used {
					continue
				}
				into := r.data[channel*r.samples+record*each:]
				for k := range each {
					v := int16(binary.LittleEndian.Uint16(raw[2*(s.offset+k):]))
					into[k] = float32(float64(v)*s.scale + s.shift)
				}
				channel++
			}
		}
		return nil
	})
	return r, err
}
