package pac

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites/suitetest"
)

// edf makes a file of two signals of 64 samples a record, one slower one and annotations;
// sample i of record r of signal s is 100 r + 10 s + i on a digital range of -1000..1000 for -10..10.
func edf(records int) []byte {
	const signals = 4
	samples := []int{64, 8, 64, 4}
	var f bytes.Buffer
	field := func(text string, n int) { f.WriteString(text + strings.Repeat(" ", n-len(text))) }
	field("0", 8)
	field("patient", 80)
	field("recording", 80)
	field("28.11.2608.00.00", 16)
	field(fmt.Sprint(256*(signals+1)), 8)
	field("EDF+C", 44)
	field(fmt.Sprint(records), 8)
	field("0.25", 8)
	field(fmt.Sprint(signals), 4)
	for _, column := range []struct {
		width int
		text  []string
	}{
		{16, []string{"Fp1", "slow", "Cz", "EDF Annotations"}}, {80, make([]string, 4)}, {8, make([]string, 4)},
		{8, []string{"-10", "-10", "-10", "-1"}}, {8, []string{"10", "10", "10", "1"}},
		{8, []string{"-1000", "-1000", "-1000", "-32768"}}, {8, []string{"1000", "1000", "1000", "32767"}},
		{80, make([]string, 4)}, {8, []string{"64", "8", "64", "4"}}, {32, make([]string, 4)},
	} {
		for _, text := range column.text {
			field(text, column.width)
		}
	}
	for r := range records {
		for s, n := range samples {
			for i := range n {
				_ = binary.Write(&f, binary.LittleEndian, int16(100*r+10*s+i))
			}
		}
	}
	return f.Bytes()
}

func read(raw []byte) (*recording, error) {
	return readRecording(bytes.NewReader(raw), int64(len(raw)), 1<<30)
}

func TestNpy(t *testing.T) {
	const items, channels, samples = 2, 3, 70
	small, large := make([]float32, items*channels*samples), make([]float64, items*channels*samples)
	for i := range small {
		small[i], large[i] = float32(i), float64(i)
	}
	for _, c := range []struct {
		raw   []byte
		items int64
	}{
		{suitetest.Npy("<f4", "2, 3, 70", small), 2}, {suitetest.Npy(">f4", "2, 3, 70", small), 2}, {suitetest.Npy("<f8", "2, 3, 70", large), 2},
		{suitetest.Npy("<f8", "6, 70", large), 1}, {suitetest.Npy("<f4", "6, 70,", small), 1},
	} {
		r, err := read(c.raw)
		if err != nil {
			t.Fatal(err)
		}
		if r.items != c.items || r.items*r.channels != 6 || r.samples != samples || r.fs != 0 || r.data[419] != 419 || r.data[7] != 7 {
			t.Errorf("%d items of %d channels, %d samples: %v", r.items, r.channels, r.samples, r.data[:8])
		}
	}
}

func TestEDF(t *testing.T) {
	r, err := read(edf(3))
	if err != nil {
		t.Fatal(err)
	}
	if r.channels != 2 || r.samples != 192 || r.fs != 256 || r.items != 1 {
		t.Fatalf("%d channels of %d samples at %v Hz", r.channels, r.samples, r.fs)
	}
	for _, c := range []struct{ channel, sample, digital int64 }{{0, 0, 0}, {1, 0, 20}, {0, 63, 63}, {1, 64, 120}, {1, 191, 283}} {
		got, want := float64(r.data[c.channel*192+c.sample]), float64(c.digital)/100
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("channel %d, sample %d is %v, expected %v", c.channel, c.sample, got, want)
		}
	}
	raw := edf(3)
	copy(raw[236:], "-1      ") // unknown: as many as the file holds
	if r, err := read(raw); err != nil || r.samples != 192 {
		t.Errorf("unknown number of records: %v", err)
	}
}

// TestUnitsOfRecordings: channels in units far from one are brought near it by powers of two,
// each by its own; others are left as they are.
func TestUnitsOfRecordings(t *testing.T) {
	wave := func(unit float64) (out []float32) {
		for i := range 64 {
			out = append(out, float32(unit*float64(i%16-8)))
		}
		return out
	}
	units := []float64{1, 0x1p-30, 0x1p-100, 0x1p100, 0, 0x1p-145}
	raw := []float32{}
	for _, u := range units {
		raw = append(raw, wave(u)...)
	}
	path := filepath.Join(t.TempDir(), "units.npy")
	if err := os.WriteFile(path, suitetest.Npy("<f4", "6, 64", raw), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := recordingOf(path)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{1, 0x1p-30, 0x1p-4, 0x1p-4, 0, 0x1p-4} {
		if got := r.data[64*k : 64*k+64]; !slices.Equal(got, wave(want)) {
			t.Errorf("unit %g: %v, want %v", units[k], got, wave(want))
		}
	}
}

// TestBandsBelow: what is advised where the sampling rate is too low.
func TestBandsBelow(t *testing.T) {
	for limit, want := range map[float64]string{128: "amp_max=121", 40: "smaller --param amp_min, now 60, and amp_max, at most 38", 1e-18: "no bands"} {
		if got := below(limit, 60); !strings.Contains(got, want) {
			t.Errorf("below %g Hz: %q, want %q", limit, got, want)
		}
	}
}

func TestBadRecordings(t *testing.T) {
	good := suitetest.Npy("<f4", "2, 64", make([]float32, 128))
	spoiled := suitetest.Npy("<f4", "2, 64", append(make([]float32, 127), float32(math.NaN())))
	patch := func(raw []byte, at int, text string) []byte {
		raw = bytes.Clone(raw)
		copy(raw[at:], text)
		return raw
	}
	e := edf(2)
	for want, raw := range map[string][]byte{
		"byte 0: the file ends":                          []byte("abc"),
		"byte 0: neither":                                []byte("hello world, a text"),
		"byte 0: this is BDF":                            []byte("\xffBIOSEMI"),
		"byte 6: version 9":                              patch(good, 6, "\x09"),
		"byte 8: a header of":                            patch(good, 8, "\xff\xff"),
		"numbers of type \"<i4\"":                        suitetest.Npy("<i4", "2, 64", make([]int32, 128)),
		"shape (128,)":                                   suitetest.Npy("<f4", "128,", make([]float32, 128)),
		"shape (1, 1, 2, 64)":                            suitetest.Npy("<f4", "1, 1, 2, 64", make([]float32, 128)),
		"at least 1, 1 and 64":                           suitetest.Npy("<f4", "2, 63", make([]float32, 126)),
		"256 numbers of 4 bytes":                         suitetest.Npy("<f4", "4, 64", make([]float32, 128)),
		"bytes of memory that are free":                  suitetest.Npy("<f4", "4, 9000000000000", make([]float32, 128)),
		"at most 4194304 signals":                        suitetest.Npy("<f4", "9223372036854775807, 64", make([]float32, 128)),
		fmt.Sprintf("byte %d: NaN is", len(spoiled)-4):   spoiled,
		"fortran_order is True":                          bytes.Replace(good, []byte("False"), []byte("True "), 1),
		"no descr":                                       bytes.Replace(good, []byte("descr"), []byte("dtype"), 1),
		"the file ends inside the header of 256":         e[:200],
		"byte 192: EDF+D":                                patch(e, 192, "EDF+D"),
		"byte 252: the number of signals":                patch(e, 252, "0   "),
		"byte 244: the duration":                         patch(e, 244, "-1  "),
		"byte 236: the number of records":                patch(e, 236, "many"),
		"byte 236: 9 records":                            patch(e, 236, "9 "),
		"byte 184: the header is said":                   patch(e, 184, "77  "),
		"4 signals need a header":                        e[:1000],
		"the samples of a record is \"0\"":               patch(e, 256+216*4, "0 "),
		"the physical minimum is \"x\"":                  patch(e, 256+104*4, "x  "),
		"the digital range 1000 to 1000: neither may be": patch(e, 256+120*4, "1000 "),
		"byte 736: the digital minimum is \"1e-3\": a whole number from -32768": patch(e, 256+120*4, "1e-3 "),
		"byte 768: the digital maximum is \"32768\"":                            patch(e, 256+128*4, "32768"),
	} {
		if _, err := read(raw); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := readRecording(bytes.NewReader(e), int64(len(e)), 100); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("more than the memory: %v", err)
	}
}

func TestInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.edf")
	if err := os.WriteFile(path, edf(100), 0o600); err != nil { // 6400 samples at 256 Hz
		t.Fatal(err)
	}
	b := suitetest.Build(mi{}, 1, 2)
	b.Input = path
	if _, err := (mi{}).Build(b); err == nil || !strings.Contains(err.Error(), "below 128 Hz") || !strings.Contains(err.Error(), "input x.edf") {
		t.Errorf("bands against the file's rate: %v", err)
	}
	b.Params["amp_max"], b.Params["time"], b.Params["fs"] = 120, 1000, 9999
	if _, err := (mi{}).Build(b); err == nil || !strings.Contains(err.Error(), "is 256 Hz and --param fs says 9999") {
		t.Errorf("another rate than the file's: %v", err)
	}
	b.Params["fs"] = 256
	p, err := problemOf(b)
	if err != nil {
		t.Fatal(err)
	}
	if p.items != 6 || p.channels != 2 || p.fs != 256 || p.perms != 200 {
		t.Errorf("%d items of %d channels at %v Hz, %d surrogates", p.items, p.channels, p.fs, p.perms)
	}
	// Item 5, channel 1 begins at sample 5000: record 78, sample 8.
	if got, want := float64(p.samplesOf(11)[0]), float64(7800+20+8)/100; math.Abs(got-want) > 1e-4 {
		t.Errorf("sample %v, expected %v", got, want)
	}
	if n, err := (mi{}).InputSize(path); err != nil || n != 1 {
		t.Errorf("%d items: %v", n, err)
	}
	b.Params["time"] = 4097
	if _, err := (mi{}).Build(b); err == nil {
		t.Error("signals of 4097 samples were built")
	}
	b.Weak = true
	if _, err := (mi{}).Build(b); err == nil || !strings.Contains(err.Error(), "strong") {
		t.Errorf("weak mode: %v", err)
	}
	for _, bad := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if _, err := recordingOf(bad); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
	array := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(array, suitetest.Npy("<f4", "2, 100", make([]float32, 200)), 0o600); err != nil {
		t.Fatal(err)
	}
	b = suitetest.Build(mi{}, 1, 1)
	b.Input = array
	if _, err := (mi{}).Build(b); err == nil || !strings.Contains(err.Error(), "--param fs") {
		t.Errorf("no sampling rate: %v", err)
	}
}

// FuzzRecording: whatever a file holds, reading ends with a recording or an error, and a
// recording has all its samples, finite ones.
func FuzzRecording(f *testing.F) {
	f.Add(suitetest.Npy("<f4", "2, 64", make([]float32, 128)))
	f.Add(suitetest.Npy("<f8", "1, 2, 64", make([]float64, 128)))
	f.Add(edf(2))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := readRecording(bytes.NewReader(raw), int64(len(raw)), 1<<24)
		if err != nil {
			return
		}
		if int64(len(r.data)) != r.items*r.channels*r.samples || len(r.data) > len(raw) {
			t.Errorf("%d samples of %d items, %d channels, %d samples in %d bytes", len(r.data), r.items, r.channels, r.samples, len(raw))
		}
		for _, x := range r.data {
			if x-x != 0 {
				t.Fatalf("sample %v", x)
			}
		}
	})
}
