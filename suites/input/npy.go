package input

import (
	"encoding/binary"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Array is the header of a file in NumPy's format, versions 1 to 3: magic, version, length of
// the header, the header as a Python dictionary, then the numbers, float32 or float64 in C order.
type Array struct {
	Shape []int64 // none: a single number
	Text  string  // the shape as the file has it
	Width int64   // bytes of a number, 4 or 8
	Order binary.ByteOrder
	Data  int64 // offset of the first number, bytes

	ShapeAt, DescrAt int64 // offsets of the shape and of the type, for errors
}

// npyMagic begins the file.
const npyMagic = "\x93NUMPY"

var (
	npyDescr = regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`)
	npyOrder = regexp.MustCompile(`'fortran_order'\s*:\s*(\w+)`)
	npyShape = regexp.MustCompile(`'shape'\s*:\s*\(([^)]*)\)`)
)

// maxNpyHeader bounds the header; NumPy's own fit in a few hundred bytes.
const maxNpyHeader = 1 << 16

// ReadNpy reads the header of an array in a file of so many bytes. Errors begin with the offset.
func ReadNpy(f io.ReaderAt, size int64) (*Array, error) {
	var fixed [12]byte
	if _, err := f.ReadAt(fixed[:], 0); err != nil {
		return nil, Fault(size, "the file ends inside the header of .npy")
	}
	from, length := int64(10), int64(binary.LittleEndian.Uint16(fixed[8:]))
	switch version := fixed[6]; {
	case string(fixed[:6]) != npyMagic:
		return nil, Fault(0, "this is no .npy: %q begins it", fixed[:6])
	case version == 2 || version == 3:
		from, length = 12, int64(binary.LittleEndian.Uint32(fixed[8:]))
	case version != 1:
		return nil, Fault(6, "version %d of .npy: 1 to 3 are known", version)
	}
	if length > maxNpyHeader || from+length > size {
		return nil, Fault(8, "a header of %d bytes in a file of %d", length, size)
	}
	header := make([]byte, length)
	if _, err := f.ReadAt(header, from); err != nil {
		return nil, Fault(from, "%v", Cause(err))
	}
	a := &Array{Data: from + length}
	return a, a.header(string(header), from)
}

// header reads the dictionary, which starts at an offset.
func (a *Array) header(text string, offset int64) error {
	field := func(re *regexp.Regexp, name string) (string, int64, error) {
		at := re.FindStringSubmatchIndex(text)
		if at == nil {
			return "", 0, Fault(offset, "no %s in the header: give an array of float32 or float64", name)
		}
		return text[at[2]:at[3]], offset + int64(at[2]), nil
	}
	descr, at, err := field(npyDescr, "descr")
	if err != nil {
		return err
	}
	a.DescrAt, a.Order = at, binary.LittleEndian
	if strings.HasPrefix(descr, ">") {
		a.Order = binary.BigEndian
	}
	switch strings.TrimLeft(descr, "<>=") {
	case "f4":
		a.Width = 4
	case "f8":
		a.Width = 8
	default:
		return Fault(at, "numbers of type %.20q: give float32 or float64", descr)
	}
	fortran, at, err := field(npyOrder, "fortran_order")
	if err != nil {
		return err
	}
	if fortran != "False" {
		return Fault(at, "fortran_order is %.20s: save the array in C order (numpy.ascontiguousarray)", fortran)
	}
	a.Text, a.ShapeAt, err = field(npyShape, "shape")
	if err != nil {
		return err
	}
	dims := strings.TrimSuffix(strings.TrimSpace(a.Text), ",")
	if dims == "" {
		return nil
	}
	for dim := range strings.SplitSeq(dims, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(dim), 10, 64)
		if err != nil || n < 0 {
			return Fault(a.ShapeAt, "shape (%.60s): whole numbers belong here", a.Text)
		}
		a.Shape = append(a.Shape, n)
	}
	return nil
}

// Count is how many numbers the shape announces; the largest int64 where it would be more.
func (a *Array) Count() int64 {
	n := int64(1)
	for _, dim := range a.Shape {
		if dim == 0 {
			return 0
		}
		if n > math.MaxInt64/dim {
			n = math.MaxInt64
		} else {
			n *= dim
		}
	}
	return n
}

// Holds checks that a file of so many bytes holds what the shape announces, no more and no less.
func (a *Array) Holds(size int64) error {
	if count, there := a.Count(), size-a.Data; count > there/a.Width || count*a.Width != there {
		return Fault(a.Data, "%d bytes follow the header, %d numbers of %d bytes are announced: is the file complete?", there, count, a.Width)
	}
	return nil
}
