package memory

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestReadBuilds(t *testing.T) {
	for _, size := range []int64{1, block - 1, block, block + 1, 99991, 1 << 30} {
		for _, count := range []int{1, 2, 3, 7} {
			b := suitetest.Build(read{}, size, count)
			p := build(t, read{}, b)
			build(t, read{}, suitetest.Uneven(b))
			if p.Units*block < size || p.Units*block >= size+block || p.Work != 4*float64(p.Units*block) {
				t.Errorf("size %d: %d blocks, %v bytes", size, p.Units, p.Work)
			}
		}
	}
	for _, size := range []int64{0, -1, maxSize + 1} {
		if _, err := (read{}).Build(suitetest.Build(read{}, size, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("size %d: %v does not say what to choose", size, err)
		}
	}
}

// blockSum adds a block in the kernel's order.
func blockSum(x func(i int64) float32, u int64) float32 {
	var lanes [256]float32
	for t := range lanes {
		var v [8][4]float32
		for j := range v {
			for l := range v[j] {
				v[j][l] = x(u*block + 4*(int64(j)*256+int64(t)) + int64(l))
			}
		}
		var s [4]float32
		for l := range s {
			s[l] = ((v[0][l] + v[1][l]) + (v[2][l] + v[3][l])) + ((v[4][l] + v[5][l]) + (v[6][l] + v[7][l]))
		}
		lanes[t] = (s[0] + s[1]) + (s[2] + s[3])
	}
	join := func(at, step int) float32 {
		s := lanes[at]
		for j := 1; j < 16; j++ {
			s += lanes[at+j*step]
		}
		return s
	}
	for t := range 16 {
		lanes[t] = join(t, 16)
	}
	return join(0, 1)
}

func TestReadVerify(t *testing.T) {
	b := suitetest.Build(read{}, 9*block-5, 2)
	p := build(t, read{}, b)
	xs := suites.Stream{Seed: b.Seed, Workload: 43, Array: 0}
	words := make([]uint32, p.Units)
	for u := range words {
		words[u] = math.Float32bits(blockSum(func(i int64) float32 { return xs.F32(i, -1, 1) }, int64(u)))
	}
	c := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: map[string][]uint32{"s": words}}}
	got, err := (read{}).Verify(c)
	if err != nil || got.Wrong != "" || got.Checked != p.Units || got.Worst <= 0 {
		t.Errorf("%+v, %v", got, err)
	}
	words[8] = math.Float32bits(math.Float32frombits(words[8]) + 0.5)
	if got, err := (read{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "s[8]") {
		t.Errorf("a sum that lacks an element passes: %+v, %v", got, err)
	}
}
