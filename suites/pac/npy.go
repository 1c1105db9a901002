package pac

import (
	"encoding/binary"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// The .npy format of NumPy, versions 1 to 3: magic, version, length of the header, the
// header as a Python dictionary, then the array. Arrays of float32 or float64 in C order,
// of shape (channel, time) or (batch, channel, time), are recordings.

var (
	npyDescr = regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`)
	npyOrder = regexp.MustCompile(`'fortran_order'\s*:\s*(\w+)`)
	npyShape = regexp.MustCompile(`'shape'\s*:\s*\(([^)]*)\)`)
)

// maxNpyHeader bounds the header; NumPy's own fit in a few hundred bytes.
const maxNpyHeader = 1 << 16

func readNpy(f io.ReaderAt, size, free int64) (*recording, error) {
	var fixed [12]byte
	if _, err := f.ReadAt(fixed[:], 0); err != nil {
		return nil, fault(6, "the file ends inside the header")
	}
	from, length := int64(10), int64(binary.LittleEndian.Uint16(fixed[8:]))
	switch version := fixed[6]; {
	case version == 2 || version == 3:
		from, length = 12, int64(binary.LittleEndian.Uint32(fixed[8:]))
	case version != 1:
		return nil, fault(6, "version %d of .npy: 1 to 3 are known", version)
	}
	if length > maxNpyHeader || from+length > size {
		return nil, fault(8, "a header of %d bytes in a file of %d", length, size)
	}
	header := make([]byte, length)
	if _, err := f.ReadAt(header, from); err != nil {
		return nil, fault(from, "%v", err)
	}
	shape, width, order, err := npyHeader(string(header), from)
	if err != nil {
		return nil, err
	}
	r := &recording{items: 1, channels: shape[len(shape)-2], samples: shape[len(shape)-1]}
	if len(shape) == 3 {
		r.items = shape[0]
	}
	if err := fits(from, r.items, r.channels, r.samples, free); err != nil {
		return nil, err
	}
	count, data := r.items*r.channels*r.samples, from+length
	if count > (size-data)/width || count*width != size-data {
		return nil, fault(data, "%d bytes follow the header, %d numbers of %d bytes are announced", size-data, count, width)
	}
	r.data = make([]float32, 0, count)
	err = readBlocks(f, data, count*width, width, func(offset int64, raw []byte) error {
		for i := int64(0); i < int64(len(raw)); i += width {
			var x float32
			if width == 8 {
				x = float32(math.Float64frombits(order.Uint64(raw[i:])))
			} else {
				x = math.Float32frombits(order.Uint32(raw[i:]))
			}
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return fault(offset+i, "%v is no sample: every number must be finite in 32 bits", x)
			}
			r.data = append(r.data, x)
		}
		return nil
	})
	return r, err
}

// npyHeader reads the dictionary, which starts at an offset.
func npyHeader(text string, offset int64) (shape []int64, width int64, order binary.ByteOrder, err error) {
	field := func(re *regexp.Regexp, name string) (string, int64, error) {
		at := re.FindStringSubmatchIndex(text)
		if at == nil {
			return "", 0, fault(offset, "no %s in the header", name)
		}
		return text[at[2]:at[3]], offset + int64(at[2]), nil
	}
	descr, at, err := field(npyDescr, "descr")
	if err != nil {
		return nil, 0, nil, err
	}
	order = binary.LittleEndian
	if strings.HasPrefix(descr, ">") {
		order = binary.BigEndian
	}
	switch strings.TrimLeft(descr, "<>=") {
	case "f4":
		width = 4
	case "f8":
		width = 8
	default:
		return nil, 0, nil, fault(at, "numbers of type %.20q: give float32 or float64", descr)
	}
	fortran, at, err := field(npyOrder, "fortran_order")
	if err != nil {
		return nil, 0, nil, err
	}
	if fortran != "False" {
		return nil, 0, nil, fault(at, "fortran_order is %.20s: save the array in C order (numpy.ascontiguousarray)", fortran)
	}
	dims, at, err := field(npyShape, "shape")
	if err != nil {
		return nil, 0, nil, err
	}
	for dim := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(dims), ","), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(dim), 10, 64)
		if err != nil || n < 0 || len(shape) == 3 {
			return nil, 0, nil, fault(at, "shape (%.60s): channel x time or batch x channel x time belong here", dims)
		}
		shape = append(shape, n)
	}
	if len(shape) < 2 {
		return nil, 0, nil, fault(at, "shape (%.60s): channel x time or batch x channel x time belong here", dims)
	}
	return shape, width, order, nil
}
