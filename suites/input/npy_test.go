package input_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites/input"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func read(raw []byte) (*input.Array, error) {
	a, err := input.ReadNpy(bytes.NewReader(raw), int64(len(raw)))
	if err == nil {
		err = a.Holds(int64(len(raw)))
	}
	return a, err
}

func TestReadNpy(t *testing.T) {
	v2 := suitetest.Npy("<f8", "2, 3", make([]float64, 6))
	v2 = append(append([]byte("\x93NUMPY\x02\x00"), v2[8], v2[9], 0, 0), v2[10:]...)
	for _, c := range []struct {
		raw   []byte
		shape []int64
		width int64
		data  int64
		order binary.ByteOrder
	}{
		{suitetest.Npy("<f4", "2, 3", make([]float32, 6)), []int64{2, 3}, 4, 128, binary.LittleEndian},
		{suitetest.Npy(">f8", "6,", make([]float64, 6)), []int64{6}, 8, 128, binary.BigEndian},
		{suitetest.Npy("<f4", "", make([]float32, 1)), nil, 4, 128, binary.LittleEndian},
		{v2, []int64{2, 3}, 8, 130, binary.LittleEndian},
	} {
		a, err := read(c.raw)
		if err != nil || !slices.Equal(a.Shape, c.shape) || a.Width != c.width || a.Data != c.data || a.Order != c.order {
			t.Errorf("%+v, %v; want %+v", a, err, c)
		}
	}
}

// Whatever a header announces is compared with the file, and counts do not overflow.
func TestBadNpy(t *testing.T) {
	good := suitetest.Npy("<f4", "2, 3", make([]float32, 6))
	for at := range good {
		if _, err := read(good[:at]); err == nil || !strings.HasPrefix(err.Error(), "byte ") {
			t.Errorf("the first %d bytes: %v", at, err)
		}
	}
	if _, err := read(append(good, 0)); err == nil || !strings.Contains(err.Error(), "25 bytes follow the header, 6 numbers of 4 bytes") {
		t.Errorf("a byte more: %v", err)
	}
	for shape, want := range map[string]string{
		"-2, -3": "whole numbers belong here", "1e3,": "whole numbers", "NaN": "whole numbers", "99999999999999999999": "whole numbers",
		"4294967296, 4294967296, 4294967296": "9223372036854775807 numbers", "0, 6": "0 numbers", "2 3": "whole numbers",
	} {
		if _, err := read(suitetest.Npy("<f4", shape, make([]float32, 6))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("shape (%s): %v, want %q", shape, err, want)
		}
	}
	for _, descr := range []string{"<i4", "|b1", "<c8", "<f2", "O"} {
		if _, err := read(suitetest.Npy(descr, "6,", make([]float32, 6))); err == nil || !strings.Contains(err.Error(), "give float32 or float64") {
			t.Errorf("%s: %v", descr, err)
		}
	}
	huge := bytes.Clone(good)
	huge[6] = 2
	binary.LittleEndian.PutUint32(huge[8:], math.MaxUint32)
	if _, err := read(huge); err == nil || !strings.Contains(err.Error(), "a header of 4294967295 bytes in a file of 152") {
		t.Errorf("a large header: %v", err)
	}
}
