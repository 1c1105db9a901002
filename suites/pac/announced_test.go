package pac

import (
	"bytes"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites/suitetest"
)

// Small files that announce much are refused, at the offset that does, for next to no memory,
// however much is free.
func TestLargeAnnouncements(t *testing.T) {
	good := edf(2)
	changed := func(at int, text string) []byte {
		raw := bytes.Clone(good)
		copy(raw[at:], text)
		return raw
	}
	numbers := make([]float32, 128)
	long := suitetest.Npy("<f4", "2, 64", numbers)
	long[6], long[8], long[9], long[10], long[11] = 2, 0xFF, 0xFF, 0xFF, 0x7F // version 2: 32 bits
	for want, raw := range map[string][]byte{
		"134217728 numbers of 4 bytes are announced":                suitetest.Npy("<f4", "65536, 2048", numbers),
		"137438953472 numbers of 8 bytes are announced":             suitetest.Npy("<f8", "1, 2097152, 65536", numbers),
		"with 9223372036854775807 samples take more than":           suitetest.Npy("<f4", "4194304, 9223372036854775807", numbers),
		"at most 4194304 signals are possible":                      suitetest.Npy("<f4", "4194304, 4194304, 64", numbers),
		"byte 8: a header of 2147483647 bytes":                      long,
		"byte 252: 9999 signals need a header of 2560000 bytes":     changed(252, "9999"),
		"byte 236: 99999999 records":                                changed(236, "99999999"),
		"byte 236: 2 records of 33554584 bytes are announced, 560 ": changed(256+216*4, "16777216"),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readRecording(bytes.NewReader(raw), int64(len(raw)), math.MaxInt64)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%q: %d bytes are taken", want, took)
		}
	}
}

// holes is a file of zeros behind what is there.
type holes []byte

func (h holes) ReadAt(into []byte, at int64) (int, error) {
	clear(into)
	if at < int64(len(h)) {
		copy(into, h[at:])
	}
	return len(into), nil
}

// A record is read as a whole: one that takes the memory, be it of annotations, is refused.
func TestLargeRecord(t *testing.T) {
	raw := edf(1)
	copy(raw[256+216*4+3*8:], "16777216")
	size := int64(256*5 + 2*(136+1<<24))
	var err error
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = readRecording(holes(raw), size, 32<<20)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 || err == nil || !strings.Contains(err.Error(), "byte 256: a record of 33554704 bytes takes more than half of the 33554432 bytes") {
		t.Errorf("%v, for %d bytes", err, took)
	}
	if r, err := readRecording(holes(raw), size, 1<<30); err != nil || r.samples != 64 {
		t.Errorf("with more memory: %v", err)
	}
}
