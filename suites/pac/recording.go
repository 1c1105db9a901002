package pac

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
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
	at, bytes int64
	recording *recording
}

// recordingOf reads a file, or returns it if it was the last one.
func recordingOf(path string) (*recording, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("input %s is no file: give a recording in .npy or EDF", path)
	}
	last.Lock()
	defer last.Unlock()
	at, size := info.ModTime().UnixNano(), info.Size()
	if last.recording != nil && last.path == path && last.at == at && last.bytes == size {
		return last.recording, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	r, err := readRecording(f, size, freeBytes())
	if err != nil {
		return nil, fmt.Errorf("input %s, %w", filepath.Base(path), err)
	}
	r.rescale()
	last.path, last.at, last.bytes, last.recording = path, at, size, r
	return r, nil
}

// freeBytes is the memory that a recording may take: what is free, and 1 GiB at least,
// since the system gives up caches.
func freeBytes() int64 {
	var m unix.Sysinfo_t
	if err := unix.Sysinfo(&m); err != nil {
		return math.MaxInt64
	}
	return max(int64((m.Freeram+m.Bufferram)*uint64(m.Unit)), 1<<30)
}

// fault is an error at an offset of a file.
func fault(offset int64, format string, args ...any) error {
	return fmt.Errorf("byte %d: %s", offset, fmt.Sprintf(format, args...))
}

const npyMagic = "\x93NUMPY"

// readRecording tells the formats apart by their first bytes. Nothing is allocated before
// the header agrees with the size of the file and with what memory is free.
func readRecording(f io.ReaderAt, size, free int64) (*recording, error) {
	var magic [8]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil {
		return nil, fault(0, "the file ends inside its first 8 bytes: give a recording in .npy or EDF")
	}
	switch {
	case bytes.HasPrefix(magic[:], []byte(npyMagic)):
		return readNpy(f, size, free)
	case magic[0] == 0xFF:
		return nil, fault(0, "this is BDF (24 bits): convert it to EDF or .npy")
	case magic[0] == '0' && len(bytes.TrimSpace(magic[1:])) == 0:
		return readEDF(f, size, free)
	}
	return nil, fault(0, "neither .npy nor EDF: %q begins it", magic[:6])
}

// fits refuses shapes that no problem can have or no memory holds, before it is allocated.
func fits(offset, items, channels, samples, free int64) error {
	switch {
	case items < 1 || channels < 1 || samples < minSamples:
		return fault(offset, "%d items of %d channels with %d samples: at least 1, 1 and %d belong here", items, channels, samples, minSamples)
	case items > maxSignals || channels > maxSignals || items*channels > maxSignals:
		return fault(offset, "%d items of %d channels: at most %d signals are possible", items, channels, maxSignals)
	case samples > free/4/(items*channels):
		return fault(offset, "%d items of %d channels with %d samples take more than the %d bytes of memory that are free: give a smaller recording",
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
			return fault(from+at, "%v", err)
		}
		if err := each(from+at, part); err != nil {
			return err
		}
	}
	return nil
}
