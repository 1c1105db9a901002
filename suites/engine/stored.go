package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/amgpu/amgpu/suites/input"
	"github.com/amgpu/amgpu/suites/program"
)

// stored opens the file of an array's source and returns a reader of its words. It reads
// instead of mapping: a mapped file that becomes shorter would end the process.
func stored(a *program.Array) (*os.File, contents, error) {
	src := a.Source
	f, err := input.Plain(src.Path, "the file of array "+a.Name)
	if err != nil {
		return nil, nil, err
	}
	if f.Size <= src.Offset {
		err := fmt.Errorf("input %s ends after %d bytes, before the first element: give a longer file", src.Path, f.Size)
		return nil, nil, errors.Join(err, f.Close())
	}
	words := func(first int64, into []byte) error { return readAt(f.File, src.Offset+first*wordBytes, into) }
	if src.Double {
		words = func(first int64, into []byte) error { return readDoubles(f.File, src.Offset+first*2*wordBytes, into) }
	}
	return f.File, words, nil
}

// readAt fills into with what a file holds from an offset on, and with zeros beyond its end.
func readAt(f *os.File, offset int64, into []byte) error {
	n, err := f.ReadAt(into, offset)
	clear(into[n:])
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("input %s: %w: is it still there?", f.Name(), input.Cause(err))
	}
	return nil
}

// readDoubles rounds the float64 numbers from an offset on to float32.
func readDoubles(f *os.File, offset int64, into []byte) error {
	wide := make([]byte, min(2*len(into), 1<<18))
	for len(into) > 0 {
		part := wide[:min(len(wide), 2*len(into))]
		if err := readAt(f, offset, part); err != nil {
			return err
		}
		for k := 0; k < len(part); k += 2 * wordBytes {
			x := math.Float64frombits(binary.LittleEndian.Uint64(part[k:]))
			binary.LittleEndian.PutUint32(into[k/2:], math.Float32bits(float32(x)))
		}
		into, offset = into[len(part)/2:], offset+int64(len(part))
	}
	return nil
}
