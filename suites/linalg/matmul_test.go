package linalg

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestMatmulProgramsAreValid(t *testing.T) {
	for _, size := range []int64{1, 3, 17, 256, 1021, 2048, 8192, 32768} {
		for _, count := range []int{1, 2, 3, 7} {
			b := suitetest.Build(matmul{}, size, count)
			for _, b := range []suites.Build{b, suitetest.Uneven(b), suitetest.Weak(matmul{}, size, count)} {
				p := build(t, matmul{}, b)
				if want := 2 * float64(b.Size) * float64(size) * float64(size); p.Work != want {
					t.Errorf("size %d, count %d: %v flop, expected %v", size, count, p.Work, want)
				}
				coversInnerDimension(t, p, size)
			}
		}
	}
}

// coversInnerDimension checks that the dispatches add every term once, in order, and
// read B within the pieces it may be cut into and the binding limit.
func coversInnerDimension(t *testing.T, p *program.Program, k int64) {
	t.Helper()
	b, _ := p.Array("B")
	at := int64(0)
	for _, s := range p.Steps {
		d := s.(program.Dispatch)
		w := d.Bind[1]
		push := d.On[0].Push
		if w.First != at || int64(push[2]) != at || int64(push[3]) != w.Units {
			t.Errorf("panel at %d: window %+v, push %v", at, w, push)
		}
		if w.First/b.CutAt != (w.First+w.Units-1)/b.CutAt || w.Units*b.Stride*4 > 1<<27 {
			t.Errorf("panel at %d of %d rows passes a cut or the binding limit", at, w.Units)
		}
		if (w.Units%16 != 0) != (d.Kernel == "ragged") || d.Kernel == "ragged" && w.Units > 15 || push[2]%16 != 0 {
			t.Errorf("panel of %d rows runs kernel %s", w.Units, d.Kernel)
		}
		at += w.Units
	}
	if at != k {
		t.Errorf("panels end at %d of %d", at, k)
	}
}

func TestMatmulChoiceIgnoresTheCount(t *testing.T) {
	for _, size := range []int64{256, 2048} {
		one := build(t, matmul{}, suitetest.Build(matmul{}, size, 1))
		for _, count := range []int{2, 7} {
			for _, b := range []suites.Build{suitetest.Build(matmul{}, size, count), suitetest.Weak(matmul{}, size, count)} {
				p := build(t, matmul{}, b)
				if p.Kernels[0].Shader != one.Kernels[0].Shader || len(p.Steps) != len(one.Steps) {
					t.Errorf("size %d: %d devices change the kernel", size, count)
				}
			}
		}
	}
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
	for _, size := range []int64{0, maxMatmul + 1} {
		if _, err := (matmul{}).Build(suitetest.Build(matmul{}, size, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("size %d: %v", size, err)
		}
	}
	b := suitetest.Build(matmul{}, 1024, 1)
	b.Limits.BindingBytes = 4 * 1024 * 15
	if _, err := (matmul{}).Build(b); err == nil || !strings.Contains(err.Error(), "smaller") {
		t.Errorf("a binding of 15 rows: %v", err)
	}
}

// matmulOutput is C in float32, terms added in the order of k.
func matmulOutput(t *testing.T, b suites.Build) []uint32 {
	t.Helper()
	p, err := plan(b)
	if err != nil {
		t.Fatal(err)
	}
	columns := make([]int64, p.ldn)
	for j := range columns {
		columns[j] = int64(j)
	}
	right := p.readColumns(b.Seed, columns)
	words := make([]uint32, 0, p.m*p.ldn)
	for r := range p.m {
		row := p.readRow(b.Seed, r)
		for _, column := range right {
			sum := float32(0)
			for k, x := range row {
				sum += float32(x * column[k])
			}
			words = append(words, math.Float32bits(sum))
		}
	}
	return words
}

func TestMatmulVerify(t *testing.T) {
	for _, b := range []suites.Build{
		suitetest.Build(matmul{}, 1, 1), suitetest.Build(matmul{}, 93, 3), suitetest.Weak(matmul{}, 33, 4),
	} {
		words := matmulOutput(t, b)
		c := &suites.Check{Build: b, Program: build(t, matmul{}, b), Out: suitetest.Memory{Arrays: map[string][]uint32{"C": words}}}
		for _, full := range []bool{true, false} {
			c.Full = full
			got, err := matmul{}.Verify(c)
			if err != nil || got.Wrong != "" || got.Worst > 1 || full && got.Checked != int64(len(words)) {
				t.Errorf("size %d, full %v: %+v, %v", b.Size, full, got, err)
			}
			if !full && len(words) >= suites.MinSampled && got.Checked < suites.MinSampled {
				t.Errorf("size %d: %d outputs sampled", b.Size, got.Checked)
			}
		}
		// One output 0.25 off: the full comparison names it, Freivalds sees its row.
		at := len(words) - 2
		words[at] = math.Float32bits(math.Float32frombits(words[at]) + 0.25)
		for _, full := range []bool{true, false} {
			c.Full = full
			if got, err := (matmul{}).Verify(c); err != nil || got.Wrong == "" {
				t.Errorf("size %d, full %v misses a wrong output: %+v, %v", b.Size, full, got, err)
			}
		}
	}
}
