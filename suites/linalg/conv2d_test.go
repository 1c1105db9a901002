package linalg

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestConvBuild(t *testing.T) {
	for _, size := range []int64{11, 12, 127, 128, 129, 521, 8192} {
		for _, f := range []int64{1, 2, 3, 8, 9, 11} {
			for _, count := range []int{1, 2, 3, 7} {
				b := suitetest.Build(conv2d{}, size, count)
				b.Params["filter"] = f
				for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
					p := build(t, conv2d{}, b)
					if want := 2 * float64(f*f) * float64((size-f+1)*(size-f+1)); p.Work != want {
						t.Errorf("size %d, filter %d: %v flop, expected %v", size, f, p.Work, want)
					}
					y, _ := p.Array("y")
					x, _ := p.Array("x")
					// The last invocation of a row reads (f+6)/4 vec4 from its own column on.
					if last := y.Stride - 4 + (f+6)/4*4; x.Stride < last || x.Stride < size || y.Stride < size-f+1 || x.Stride%4 != 0 || y.Stride%4 != 0 {
						t.Errorf("size %d, filter %d: rows of %d and %d elements, %d are read", size, f, x.Stride, y.Stride, last)
					}
				}
			}
		}
	}
}

func TestConvRefusesSizesThatCannotBe(t *testing.T) {
	for _, size := range []int64{0, -1, 8, maxImage + 1} {
		if _, err := (conv2d{}).Build(suitetest.Build(conv2d{}, size, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("size %d: %v does not say what to choose", size, err)
		}
	}
}

// TestCorrelate: a filter with a single one copies, one of ones sums a window.
func TestCorrelate(t *testing.T) {
	window := make([]float64, 5*7)
	for i := range window {
		window[i] = float64(i) - 10
	}
	for at := range 9 {
		taps := make([]float64, 9)
		taps[at] = 1
		if got, _ := correlate(window[8:], 7, taps, 3); got != window[8+at/3*7+at%3] {
			t.Errorf("tap %d copies %v", at, got)
		}
		taps[at] = 2
		if _, magnitude := correlate(window, 7, taps, 3); magnitude != 2*math.Abs(window[at/3*7+at%3]) {
			t.Errorf("tap %d has a magnitude of %v", at, magnitude)
		}
	}
	ones := []float64{1, 1, 1, 1}
	if got, _ := correlate(window, 7, ones, 2); got != window[0]+window[1]+window[7]+window[8] {
		t.Errorf("ones give %v", got)
	}
}

func TestConvVerify(t *testing.T) {
	b := suitetest.Build(conv2d{}, 40, 2)
	b.Params["filter"] = 3
	p := build(t, conv2d{}, b)
	m, err := imageOf(b)
	if err != nil {
		t.Fatal(err)
	}
	xs := suites.Stream{Seed: b.Seed, Workload: conv2dNumber, Array: idImage}
	ks := suites.Stream{Seed: b.Seed, Workload: conv2dNumber, Array: idFilter}
	words := make([]uint32, m.rows*m.outPitch)
	for r := range m.rows - 2 {
		for c := range m.columns - 2 {
			s := float32(0)
			for i := range int64(3) {
				for j := range int64(3) {
					s += xs.F32((r+i)*m.inPitch+c+j, -1, 1) * ks.F32(i*3+j, -1, 1)
				}
			}
			words[r*m.outPitch+c] = math.Float32bits(s)
		}
	}
	c := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: map[string][]uint32{"y": words}}}
	got, err := (conv2d{}).Verify(c)
	if err != nil || got.Wrong != "" || got.Checked != 38*38 || got.Worst <= 0 {
		t.Errorf("%+v, %v", got, err)
	}
	at := 37*m.outPitch + 37
	words[at] = math.Float32bits(math.Float32frombits(words[at]) + 1e-4)
	if got, err := (conv2d{}).Verify(c); err != nil || got.Wrong == "" {
		t.Errorf("a wrong output passes: %+v, %v", got, err)
	}
}
