package linalg

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestChunksCoverEveryElementOnce(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 4, 255, 257, 1023, 1<<18 + 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 1<<25 + 1, 1 << 28, 1 << 31, maxReduction} {
		c := chunk(n)
		if c.count < leastChunks || c.count > mostChunks || c.stride%4 != 0 || c.stride < 4 || c.stride > math.MaxUint32 {
			t.Errorf("%d elements: %+v", n, c)
		}
		last, tail := c.last()
		if last >= c.count || tail < 1 || tail > c.stride || last*c.stride+tail != n {
			t.Errorf("%d elements: the last chunk is %d with %d elements of %+v", n, last, tail, c)
		}
		at := int64(0)
		for u := range c.count {
			lo, hi := c.bounds(u)
			if lo != at || hi < lo {
				t.Fatalf("%d elements: chunk %d is [%d,%d) after %d", n, u, lo, hi, at)
			}
			at = hi
		}
		if at != n {
			t.Errorf("%d elements: chunks end at %d", n, at)
		}
	}
}

func TestReductionProgramsAreValid(t *testing.T) {
	for _, size := range []int64{1, 3, 1021, 1 << 20, 1<<20 + 5, 1 << 31} {
		for _, count := range []int{1, 2, 3, 7} {
			b := suitetest.Build(reduction{}, size, count)
			one := build(t, reduction{}, suitetest.Build(reduction{}, size, 1))
			for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
				p := build(t, reduction{}, b)
				if p.Units != one.Units || p.Arrays[0].Stride != one.Arrays[0].Stride {
					t.Errorf("size %d: %d devices change the chunks", size, count)
				}
			}
		}
	}
}

// build builds a program and fails the test where it is malformed.
func build(t *testing.T, w suites.Workload, b suites.Build) *program.Program {
	t.Helper()
	p, err := w.Build(b)
	if err == nil {
		err = suitetest.Invariants(p, b.Count)
	}
	if err != nil {
		t.Fatalf("%s, size %d, count %d: %v", w.Info().ID, b.Size, b.Count, err)
	}
	return p
}

// emulateChunk is the kernel's work-group in float32.
func emulateChunk(x []float32) partial {
	inf := float32(math.Inf(1))
	var sums [256]float32
	p := partial{max: -inf, negMin: -inf}
	for t := range sums {
		var s [4][4]float32
		for turn, at := 0, t; at*4 < len(x); turn, at = turn+1, at+256 {
			for j := 0; j < 4 && at*4+j < len(x); j++ {
				v := x[at*4+j]
				s[turn%4][j] += v
				if v > p.max {
					p.max = v
				}
				if -v > p.negMin {
					p.negMin = -v
				}
			}
		}
		var joined [4]float32
		for j := range joined {
			joined[j] = (s[0][j] + s[1][j]) + (s[2][j] + s[3][j])
		}
		sums[t] = (joined[0] + joined[1]) + (joined[2] + joined[3])
	}
	for _, step := range []int{16, 1} { // 256 to 16 to 1
		for t := range step {
			for j := 1; j < 16; j++ {
				sums[t] += sums[t+j*step]
			}
		}
	}
	p.sum = sums[0]
	return p
}

// reductionOutputs is what correct devices leave for the input of b.
func reductionOutputs(t *testing.T, b suites.Build) suitetest.Memory {
	t.Helper()
	n, _, err := reductionSource(b)
	if err != nil {
		t.Fatal(err)
	}
	read, closeInput, err := elements(b)
	if err != nil {
		t.Fatal(err)
	}
	defer closeInput()
	c := chunk(n)
	chunks := make([]partial, c.count)
	var words []uint32
	for u := range chunks {
		lo, hi := c.bounds(int64(u))
		x := make([]float32, hi-lo)
		if err := read(lo, x); err != nil {
			t.Fatal(err)
		}
		p := emulateChunk(x)
		chunks[u] = p
		words = append(words, math.Float32bits(p.sum), math.Float32bits(p.max), math.Float32bits(p.negMin))
	}
	total := tree(chunks)
	return suitetest.Memory{Arrays: map[string][]uint32{
		"partials": words,
		"sum":      {math.Float32bits(total.sum)},
		"extremes": {math.Float32bits(total.max), math.Float32bits(total.negMin)},
	}}
}

func TestReductionVerify(t *testing.T) {
	for _, size := range []int64{1, 1000, 300_001, 1<<21 + 77} {
		b := suitetest.Build(reduction{}, size, 3)
		c := &suites.Check{Build: b, Program: build(t, reduction{}, b), Full: true}
		out := reductionOutputs(t, b)
		c.Out = out
		for _, full := range []bool{true, false} {
			c.Full = full
			got, err := reduction{}.Verify(c)
			if err != nil || got.Wrong != "" || got.Worst > 1 {
				t.Errorf("size %d, full %v: %+v, %v", size, full, got, err)
			}
		}
		// A device whose total is one unit in the last place off.
		off := out
		off.Local = map[string]map[int][]uint32{"sum": {2: {out.Arrays["sum"][0] + 1}}}
		c.Out = off
		if got, err := (reduction{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "sum[0]") {
			t.Errorf("size %d: a wrong total passes: %+v, %v", size, got, err)
		}
		c.Out = out
		// A chunk that misses one element, noticed although the tree agrees.
		c.Full = true
		out.Arrays["partials"][0] = math.Float32bits(math.Float32frombits(out.Arrays["partials"][0]) + 0.5)
		if got, err := (reduction{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "partials[0]") {
			t.Errorf("size %d: a wrong partial passes: %+v, %v", size, got, err)
		}
	}
}

func TestReductionOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.f32")
	rng := rand.New(rand.NewPCG(1, 2))
	raw := make([]byte, 4*5003)
	for i := range 5003 {
		binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(float32(rng.NormFloat64())))
	}
	// Both zeros, a subnormal and an infinity.
	for i, bits := range []uint32{0, 1 << 31, 5, 0x7F800000} {
		binary.LittleEndian.PutUint32(raw[4*i:], bits)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	b := suitetest.Build(reduction{}, 1, 2)
	b.Input = path
	p := build(t, reduction{}, b)
	if p.Arrays[0].Source.Kind != program.File || p.Work != 4*5003 {
		t.Errorf("source %+v, work %v", p.Arrays[0].Source, p.Work)
	}
	got, err := reduction{}.Verify(&suites.Check{Build: b, Program: p, Full: true, Out: reductionOutputs(t, b)})
	if err != nil || got.Wrong != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Sums beyond float32 are what they are, infinite or no number: no wrong result.
func TestReductionBeyondFloat32(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.f32")
	raw := make([]byte, 4*100_000)
	for i := range 100_000 {
		binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(float32(3e38)*float32(1-i/300%2*2)))
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	b := suitetest.Build(reduction{}, 1, 2)
	b.Input = path
	out := reductionOutputs(t, b)
	for _, sum := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0} {
		out.Arrays["partials"][0] = math.Float32bits(float32(sum))
		c := &suites.Check{Build: b, Program: build(t, reduction{}, b), Full: true, Out: out}
		if got, err := (reduction{}).Verify(c); err != nil || strings.HasPrefix(got.Wrong, "partials") || got.Worst != 0 {
			t.Errorf("a partial of %v: %+v, %v", sum, got, err)
		}
	}
	small := suitetest.Build(reduction{}, 100_000, 2)
	out = reductionOutputs(t, small)
	out.Arrays["partials"][0] = math.Float32bits(float32(math.NaN()))
	c := &suites.Check{Build: small, Program: build(t, reduction{}, small), Full: true, Out: out}
	if got, err := (reduction{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "partials[0] is NaN") {
		t.Errorf("NaN without a cause: %+v, %v", got, err)
	}
}

// The numbers of a .npy are those behind its header, float64 ones rounded.
func TestReductionOfAnArray(t *testing.T) {
	narrow, wide := make([]float32, 3*1001), make([]float64, 3*1001)
	for i := range wide {
		wide[i] = math.Sin(float64(i)) * 1e3
		narrow[i] = float32(wide[i])
	}
	for descr, data := range map[string]any{"<f4": narrow, "<f8": wide} {
		path := filepath.Join(t.TempDir(), "x.npy")
		raw := suitetest.Npy(descr, "3, 1001", data)
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		b := suitetest.Build(reduction{}, 1, 2)
		b.Input = path
		p := build(t, reduction{}, b)
		if s := p.Arrays[0].Source; s.Kind != program.File || s.Offset != 128 || s.Double != (descr == "<f8") || p.Work != 4*3003 {
			t.Errorf("%s: source %+v, work %v", descr, s, p.Work)
		}
		n, err := reduction{}.InputSize(path)
		if err != nil || n != 3003 {
			t.Errorf("%d numbers, %v", n, err)
		}
		read, done, err := elements(b)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, 1000)
		if err := read(2003, got); err != nil || !slices.Equal(got, narrow[2003:]) {
			t.Errorf("%s: other numbers, %v", descr, err)
		}
		done()
		result, err := reduction{}.Verify(&suites.Check{Build: b, Program: p, Full: true, Out: reductionOutputs(t, b)})
		if err != nil || result.Wrong != "" {
			t.Errorf("%+v, %v", result, err)
		}
	}
}

// What is no file of numbers is not taken for one.
func TestNoNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"1.5 2.5 3.5\n": "byte 0: this is text: give a file of little-endian float32",
		string(suitetest.Npy(">f4", "4,", make([]float32, 4))):   "numbers in big-endian order",
		string(suitetest.Npy("<f4", "0,", make([]float32, 0))):   "0 numbers: give 1 to",
		string(suitetest.Npy("<i4", "4,", make([]int32, 4))):     "numbers of type \"<i4\": give float32 or float64",
		string(suitetest.Npy("<f4", "5,", make([]float32, 4))):   "16 bytes follow the header, 5 numbers of 4 bytes",
		string(suitetest.Npy("<f8", "2, 2", make([]float64, 3))): "24 bytes follow the header, 4 numbers of 8 bytes",
		"\x93NUMPY\x01\x00":                     "byte 8: the file ends inside the header",
		"%%MatrixMarket matrix coordinate real": "this is a Matrix Market file",
	} {
		path := filepath.Join(t.TempDir(), "x.f32")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := (reduction{}).InputSize(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "x.f32") {
			t.Errorf("%.30q: %v, want %q", text, err, want)
		}
	}
}

func TestReductionRefuses(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "odd")
	if err := os.WriteFile(odd, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]func(*suites.Build){
		"choose":       func(b *suites.Build) { b.Size = 0 },
		"no such file": func(b *suites.Build) { b.Input = odd + "missing" },
		"5 bytes":      func(b *suites.Build) { b.Input = odd },
		"strong mode":  func(b *suites.Build) { b.Input, b.Weak = odd, true },
	}
	for want, spoil := range cases {
		b := suitetest.Build(reduction{}, 100, 1)
		spoil(&b)
		if _, err := (reduction{}).Build(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not mention %q", err, want)
		}
	}
}
