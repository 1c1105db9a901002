package linalg

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// matmulOutput is C made in float64 and rounded once, where the split keeps it.
func matmulOutput(t *testing.T, b suites.Build) ([]uint32, product) {
	t.Helper()
	p, err := plan(b)
	if err != nil {
		t.Fatal(err)
	}
	columns := make([]int64, p.columns)
	for j := range columns {
		columns[j] = int64(j)
	}
	right := p.readColumns(b.Seed, columns)
	words := make([]uint32, p.sums(p.rows*p.columns))
	for i := range p.rows {
		row := p.readRow(b.Seed, i)
		for j, column := range right {
			sum := 0.0
			for k, x := range row {
				sum += x * column[k]
			}
			at := p.sums(p.c(i, int64(j)))
			switch {
			case p.sum == 64:
				word := math.Float64bits(sum)
				words[at], words[at+1] = uint32(word), uint32(word>>32)
			case p.number == &numbers[typeI8]:
				words[at] = uint32(int32(sum))
			default:
				words[at] = math.Float32bits(float32(sum))
			}
		}
	}
	return words, p
}

func TestMatmulVerify(t *testing.T) {
	products(t, func(t *testing.T, typ int64, split string) {
		for _, b := range []suites.Build{
			suitetest.Build(matmul{}, 1, 1), suitetest.Build(matmul{}, 93, 3), suitetest.Weak(matmul{}, 33, 4),
		} {
			b.Split, b.Params["type"] = split, typ
			words, p := matmulOutput(t, b)
			c := &suites.Check{Build: b, Program: build(t, matmul{}, b), Out: suitetest.Memory{Arrays: map[string][]uint32{"C": words}}}
			for _, full := range []bool{true, false} {
				c.Full = full
				got, err := matmul{}.Verify(c)
				if err != nil || got.Wrong != "" || got.Worst > 1 || full && got.Checked != p.rows*p.columns {
					t.Errorf("size %d, full %v: %+v, %v", b.Size, full, got, err)
				}
				if !full && got.Checked < min(suites.MinSampled, p.rows*p.columns) {
					t.Errorf("size %d: %d outputs sampled", b.Size, got.Checked)
				}
			}
			// One output off by some bits: the full comparison names it, and where the row
			// is read Freivalds sees it.
			words[p.sums(p.c(0, 0))+p.sum/32-1] ^= 1 << 20
			c.Full = true
			if got, err := (matmul{}).Verify(c); err != nil || !strings.Contains(got.Wrong, "C[0]") {
				t.Errorf("size %d misses a wrong output: %+v, %v", b.Size, got, err)
			}
		}
	})
}

// Freivalds alone sees a wrong row.
func TestMatmulRowCheck(t *testing.T) {
	products(t, func(t *testing.T, typ int64, split string) {
		b := suitetest.Build(matmul{}, 65, 1)
		b.Split, b.Params["type"] = split, typ
		words, p := matmulOutput(t, b)
		check := p.freivalds(b.Seed)
		got, err := p.readOutput(suitetest.Memory{Arrays: map[string][]uint32{"C": words}}, 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, flip := range []uint32{0, 1 << 21} {
			at := p.sums(check.columns[3]+1) - 1
			got[at] ^= flip
			var tally suites.Tally
			check.row(7, p.readRow(b.Seed, 7), got, &tally)
			if (tally.Wrong != "") != (flip != 0) {
				t.Errorf("bits %x changed: %q", flip, tally.Wrong)
			}
		}
	})
}

// The values of the inputs are what the words on the devices say.
func TestNumberValues(t *testing.T) {
	for bits, want := range map[uint16]float64{0x3c00: 1, 0xbc00: -1, 0x3555: 0.333251953125, 0x4248: 3.140625} {
		if got := half(bits); got != want {
			t.Errorf("half %04x is %v, want %v", bits, got, want)
		}
	}
	for i := range numbers {
		n := &numbers[i]
		least, most, sum := math.Inf(1), 0.0, 0.0
		const many = 4000
		for at := range int64(many) {
			x := n.value(9, 5, at)
			least, most, sum = min(least, math.Abs(x)), max(most, math.Abs(x)), sum+x
		}
		lo, hi := 0.125, 2.0
		switch i {
		case typeF32:
			lo, hi = 0, 1
		case typeI8:
			lo, hi = 0, 128
		}
		if least < lo || most > hi || most < 0.95*hi || math.Abs(sum)/many > 0.06*hi {
			t.Errorf("%s: magnitudes from %v to %v, mean %v", n.name, least, most, sum/many)
		}
	}
	// A NaN or an infinity of any type would show as one.
	for _, n := range numbers {
		if x := n.readSum([]uint32{0, 0}); x != 0 {
			t.Errorf("%s: zero words are %v", n.name, x)
		}
	}
}

// Dot2 keeps what float64 loses.
func TestDot(t *testing.T) {
	sum, magnitude := dot([]float64{1e16, 1, -1e16, 0x1p-30}, []float64{1, 1, 1, 0x1p-30})
	if want := 1 + 0x1p-60; sum != want && sum != 1 || magnitude < 2e16 {
		t.Errorf("%v, %v", sum, magnitude)
	}
	x := []float64{1 + 0x1p-52, -1}
	if sum, _ := dot(x, []float64{1 + 0x1p-52, 1 + 0x1p-51}); sum != 0x1p-104 {
		t.Errorf("square less its rounding is %v", sum)
	}
}
