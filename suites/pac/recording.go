package pac

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"sync"

	"github.com/amgpu/amgpu/suites/input"
)

// recording is what a file holds: data[item][channel][sample].
type recording struct {
	items, channels, samples int64
	fs                       float64 // 0: the file does not say
	data                     []float32
}

// signal is one signal of a problem; items longer than its signals are cut into several.
func (r *recording) signal(p *problem, signal int64) []float32 {
	item, channel := p.at(signal)
	pieces := r.samples / p.samples
	at := (item/pieces*r.channels+channel)*r.samples + item%pieces*p.samples
	return r.data[at : at+p.samples]
}

// ordinary are the largest samples of a channel, as powers of two up to this and down to its
// inverse, whose squares and their sums are far from the ends of float32.
const ordinary = 40

// rescale multiplies channels in units that are not ordinary by a power of two, so that they
// end below 1. Coupling does not depend on the unit.
func (r *recording) rescale() {
	for row := range slices.Chunk(r.data, int(r.samples)) {
		largest := float32(0)
		for _, x := range row {
			largest = max(largest, x, -x)
		}
		_, exponent := math.Frexp(float64(largest))
		if largest == 0 || exponent >= -ordinary && exponent <= ordinary {
			continue
		}
		for i, x := range row {
			row[i] = float32(math.Ldexp(float64(x), -exponent))
		}
	}
}

// last is the recording used last: a sweep asks for it again and again.
var last struct {
	sync.Mutex
	path      string
	stamp     int64
	recording *recording
}

// recordingOf reads a file, or returns it if it was the last one.
func recordingOf(path string) (*recording, error) {
	// What is text or nothing known is left to readRecording, which shows how it begins.
	f, err := input.Open(path, "a recording in .npy or EDF", input.Npy, input.EDF, input.Text)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	last.Lock()
	defer last.Unlock()
	if last.recording != nil && last.path == path && last.stamp == f.Stamp {
		return last.recording, nil
	}
	free, ok := input.Free()
	if !ok {
		free = math.MaxInt64
	}
	r, err := readRecording(f, f.Size, free)
	if err != nil {
		return nil, fmt.Errorf("input %s, %w", filepath.Base(path), err)
	}
	r.rescale()
	last.path, last.stamp, last.recording = path, f.Stamp, r
	return r, nil
}

// readRecording tells the formats apart by their first bytes. Nothing is allocated before
// the header agrees with the size of the file and with what memory is free.
func readRecording(f io.ReaderAt, size, free int64) (*recording, error) {
	var magic [8]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil {
		return nil, input.Fault(0, "the file ends inside its first 8 bytes: give a recording in .npy or EDF")
	}
	switch {
	case input.KindOf(magic[:]) == input.Npy:
		return readNpy(f, size, free)
	case magic[0] == 0xFF:
		return nil, input.Fault(0, "this is BDF (24 bits): convert it to EDF or .npy")
	case magic[0] == '0' && len(bytes.TrimSpace(magic[1:])) == 0:
		return readEDF(f, size, free)
	}
	return nil, input.Fault(0, "neither .npy nor EDF: %q begins it", magic[:6])
}

// fits refuses shapes that no problem can have or no memory holds, before it is allocated.
func fits(offset, items, channels, samples, free int64) error {
	switch {
	case items < 1 || channels < 1 || samples < minSamples:
		return input.Fault(offset, "%d items of %d channels with %d samples: at least 1, 1 and %d belong here", items, channels, samples, minSamples)
	case items > maxSignals || channels > maxSignals || items*channels > maxSignals:
		return input.Fault(offset, "%d items of %d channels: at most %d signals are possible", items, channels, maxSignals)
	case samples > free/4/(items*channels):
		return input.Fault(offset, "%d items of %d channels with %d samples take more than the %d bytes of memory that are free: give a smaller recording",
			items, channels, samples, free)
	}
	return nil
}

// blockBytes is how much of a file is read at a time.
const blockBytes = 1 << 20

// readBlocks shows a stretch of the file, offsets included, in blocks of whole units.
func readBlocks(f io.ReaderAt, from, size, unit int64, each func(offset int64, raw []byte) error) error {
	raw := make([]byte, min(max(blockBytes/unit, 1)*unit, size))
	for at := int64(0); at < size; at += int64(len(raw)) {
		part := raw[:min(int64(len(raw)), size-at)]
		if _, err := f.ReadAt(part, from+at); err != nil {
			return input.Fault(from+at, "%v", input.Cause(err))
		}
		if err := each(from+at, part); err != nil {
			return err
		}
	}
	return nil
}
