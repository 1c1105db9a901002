package linalg

import (
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// products are all types with all splits that they have.
func products(t *testing.T, f func(t *testing.T, typ int64, split string)) {
	for typ := range numbers {
		for _, split := range (matmul{}).Info().Splits {
			t.Run(numbers[typ].name+"/"+split, func(t *testing.T) { f(t, int64(typ), split) })
		}
	}
}

func TestMatmulProgramsAreValid(t *testing.T) {
	products(t, func(t *testing.T, typ int64, split string) {
		for _, size := range []int64{1, 3, 17, 256, 1021, 1111, 2048} {
			for _, count := range []int{1, 2, 3, 7} {
				b := suitetest.Build(matmul{}, size, count)
				for _, b := range []suites.Build{b, suitetest.Uneven(b), suitetest.Weak(matmul{}, min(size, 300), count)} {
					b.Split, b.Params["type"] = split, typ
					b.Limits.BindingBytes = 1 << 30
					n := float64(b.Base)
					p := build(t, matmul{}, b)
					if want := 2 * float64(b.Size) * n * n; p.Work != want {
						t.Errorf("size %d, count %d: %v flop, expected %v", size, count, p.Work, want)
					}
				}
			}
		}
	})
}

// In the split by rows the dispatches add every term once, in order, and read B within the
// pieces it may be cut into and the binding limit.
func TestMatmulCoversInnerDimension(t *testing.T) {
	for _, typ := range []int64{typeF32, typeF64, typeF16} {
		for _, size := range []int64{1, 3, 17, 256, 1021, 2048, 8192, 32768} {
			b := suitetest.Build(matmul{}, size, 3)
			b.Params["type"] = typ
			p, err := plan(b)
			if err != nil {
				t.Fatal(err)
			}
			coversInnerDimension(t, build(t, matmul{}, b), p)
		}
	}
}

func coversInnerDimension(t *testing.T, prog *program.Program, p product) {
	t.Helper()
	b, _ := prog.Array("B")
	at := int64(0)
	for _, s := range prog.Steps {
		d := s.(program.Dispatch)
		w := d.Bind[1]
		push := d.On[0].Push
		if w.First != at || int64(push[2]) != at || int64(push[3]) != w.Units || (push[4] == 1) != (at > 0) {
			t.Errorf("panel at %d: window %+v, push %v", at, w, push)
		}
		if w.First/b.CutAt != (w.First+w.Units-1)/b.CutAt || w.Units*b.Stride*4 > 1<<27 {
			t.Errorf("panel at %d of %d rows passes a cut or the binding limit", at, w.Units)
		}
		if (w.Units%p.granule != 0) != (d.Kernel == "ragged") || d.Kernel == "ragged" && w.Units >= p.granule || int64(push[2])%p.granule != 0 {
			t.Errorf("panel of %d rows runs kernel %s", w.Units, d.Kernel)
		}
		at += w.Units
	}
	if at != p.terms {
		t.Errorf("panels end at %d of %d", at, p.terms)
	}
}

func TestMatmulChoiceIgnoresTheCount(t *testing.T) {
	products(t, func(t *testing.T, typ int64, split string) {
		for _, size := range []int64{256, 2048} {
			request := func(b suites.Build) *program.Program {
				b.Split, b.Params["type"] = split, typ
				b.Limits.BindingBytes = 1 << 31
				return build(t, matmul{}, b)
			}
			one := request(suitetest.Build(matmul{}, size, 1))
			for _, count := range []int{2, 7} {
				for _, b := range []suites.Build{suitetest.Build(matmul{}, size, count), suitetest.Weak(matmul{}, size/4, count)} {
					p := request(b)
					if !b.Weak && (p.Kernels[0].Shader != one.Kernels[0].Shader || len(p.Steps) != len(one.Steps) || p.Units != one.Units) {
						t.Errorf("size %d: %d devices change the kernel", size, count)
					}
				}
			}
		}
	})
}

func TestMatmulTileFollowsSizeAndLimits(t *testing.T) {
	for _, c := range []struct{ size, shared, want int64 }{
		{256, 48 << 10, 64}, {2047, 48 << 10, 64}, {2048, 48 << 10, 128}, {32768, 24 << 10, 128}, {32768, 16 << 10, 64},
	} {
		b := suitetest.Build(matmul{}, c.size, 2)
		b.Limits.SharedBytes = c.shared
		if p, err := plan(b); err != nil || p.tile.height != c.want {
			t.Errorf("size %d with %d bytes shared: tile %+v, %v", c.size, c.shared, p.tile, err)
		}
		build(t, matmul{}, b)
	}
}

func TestMatmulRefuses(t *testing.T) {
	for _, c := range []struct {
		size, binding, typ int64
		split, want        string
	}{
		{0, 1 << 27, typeF32, splitRows, "choose"},
		{maxMatmul + 1, 1 << 27, typeF32, splitRows, "choose"},
		{1024, 4 * 1024 * 15, typeF32, splitRows, "smaller"},
		{1 << 17, 1 << 40, typeI8, splitRows, "up to 131071"},
		{32768, 1 << 27, typeI8, splitRows, "another split"},
		{32768, 1 << 27, typeF32, splitBlocks, "another split"},
		{8192, 1 << 27, typeF32, splitK, "another split"},
	} {
		b := suitetest.Build(matmul{}, c.size, 1)
		b.Split, b.Params["type"], b.Limits.BindingBytes = c.split, c.typ, c.binding
		if _, err := (matmul{}).Build(b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestSquares: every square has one place, and a device needs the rows and columns of its own.
func TestSquares(t *testing.T) {
	for _, c := range [][2]int64{{1, 1}, {127, 127}, {300, 300}, {1000, 1000}, {1500, 500}} {
		s := cutSquares(c[0], c[1], 64, 4)
		seen := map[[2]int64]bool{}
		for u := range s.units() {
			y, x := s.place(u)
			if s.at(y, x) != u || y < 0 || y >= s.bands*s.count || x < 0 || x >= s.count || seen[[2]int64{y, x}] {
				t.Fatalf("%v: square %d is at %d, %d", c, u, y, x)
			}
			seen[[2]int64{y, x}] = true
		}
	}
	s := squares{16, 256, 1}
	for _, c := range []struct{ share, rows, columns program.Share }{
		{program.Share{Lo: 0, Hi: 64}, program.Share{Lo: 0, Hi: 8}, program.Share{Lo: 0, Hi: 8}},
		{program.Share{Lo: 128, Hi: 256}, program.Share{Lo: 8, Hi: 16}, program.Share{Lo: 0, Hi: 16}},
		{program.Share{Lo: 3, Hi: 3}, program.Share{}, program.Share{}},
		{program.Share{Lo: 2, Hi: 5}, program.Share{Lo: 0, Hi: 2}, program.Share{Lo: 0, Hi: 3}},
	} {
		if rows, columns := s.within(c.share); rows != c.rows || columns != c.columns {
			t.Errorf("squares %v lie in rows %v and columns %v", c.share, rows, columns)
		}
	}
}
