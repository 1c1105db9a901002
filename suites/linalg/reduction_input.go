package linalg

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/input"
	"github.com/amgpu/amgpu/suites/program"
)

// numbersWanted is what a reduction reads.
const numbersWanted = "a file of little-endian float32 values, 4 bytes each, or a .npy of float32 or float64"

// reductionSource is the number of elements and where they come from: Philox, or the
// whole of the input file, whose length then replaces the size.
func reductionSource(b suites.Build) (int64, program.Source, error) {
	if b.Input == "" {
		if b.Size < 1 || b.Size > maxReduction {
			return 0, program.Source{}, fmt.Errorf("size %d: choose from 1 to %d elements", b.Size, int64(maxReduction))
		}
		return b.Size, reductionInput, nil
	}
	if b.Weak {
		return 0, program.Source{}, fmt.Errorf("input %s: a file has one size; use strong mode, or weak mode without an input", b.Input)
	}
	n, file, err := openNumbers(b.Input)
	if err != nil {
		return 0, program.Source{}, err
	}
	return n, file.source, file.Close()
}

// InputSize is the number of values in a file.
func (reduction) InputSize(path string) (int64, error) {
	n, file, err := openNumbers(path)
	if err != nil {
		return 0, err
	}
	return n, file.Close()
}

// vectorFile is an open file of numbers: of float32, or the array of a .npy.
type vectorFile struct {
	*input.File
	source program.Source
}

// openNumbers opens a file and says how many numbers it holds.
func openNumbers(path string) (n int64, file *vectorFile, err error) {
	f, err := input.Open(path, numbersWanted, input.Npy)
	if err != nil {
		return 0, nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // the error at hand says more
		}
	}()
	file = &vectorFile{f, program.Source{Kind: program.File, Path: path}}
	if f.Kind != input.Npy {
		if f.Size%4 != 0 || f.Size/4 > maxReduction {
			return 0, nil, fmt.Errorf("input %s has %d bytes: give %s", path, f.Size, numbersWanted)
		}
		return f.Size / 4, file, nil
	}
	a, err := input.ReadNpy(f, f.Size)
	if err == nil {
		err = a.Holds(f.Size)
	}
	switch {
	case err != nil:
	case a.Order != binary.LittleEndian:
		err = input.Fault(a.DescrAt, "numbers in big-endian order: give little-endian ones (numpy.ndarray.astype('<f4'))")
	case a.Count() < 1 || a.Count() > maxReduction:
		err = input.Fault(a.ShapeAt, "%d numbers: give 1 to %d", a.Count(), int64(maxReduction))
	}
	if err != nil {
		return 0, nil, fmt.Errorf("input %s, %w", filepath.Base(path), err)
	}
	file.source.Offset, file.source.Double = a.Data, a.Width == 8
	return a.Count(), file, nil
}

// read fills into with the numbers from lo on.
func (f *vectorFile) read(lo int64, into []float32) error {
	width := int64(4)
	if f.source.Double {
		width = 8
	}
	raw := make([]byte, width*int64(len(into)))
	if _, err := f.ReadAt(raw, f.source.Offset+width*lo); err != nil {
		return fmt.Errorf("input %s: %w", f.source.Path, input.Cause(err))
	}
	for i := range into {
		if f.source.Double {
			into[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:])))
		} else {
			into[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	}
	return nil
}
