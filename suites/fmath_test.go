package suites_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/amgpu/amgpu/shaders"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// function is one of common/fmath.glsl: its number in dual/functions, its twin (nil: one that
// this package hides), the exact values, and the magnitudes over which its error is at most 2
// ULP plus an absolute part.
type function struct {
	name     string
	number   uint32
	twin     func(float32) float32
	exact    func(float64) float64
	lo, hi   float32
	absolute float64
	special  []float32
}

var inf = float32(math.Inf(1))

var functions = []function{
	{"rcp", 6, suites.Rcp32, func(x float64) float64 { return 1 / x }, 0x1p-100, 0x1p100, 0, nil},
	{"exp", 2, suites.Exp32, math.Exp, 0x1p-126, 87.33654, 0, []float32{0, 88.72283, 88.72284, 200, inf, -inf, -1e9}},
	{"log", 3, suites.Log32, math.Log, 0x1p-126, math.MaxFloat32, 0, []float32{0, 1, inf, -inf, -1}},
	{"tanh", 4, suites.Tanh32, math.Tanh, 0x1p-100, math.MaxFloat32, 0, []float32{0, inf, -inf}},
	{"atan", 5, suites.Atan32, math.Atan, 0x1p-100, math.MaxFloat32, 0, []float32{0, 1, inf, -inf}},
	{"sin near", 0, suites.Sin32, math.Sin, 0x1p-60, 4, 0, []float32{0}},
	{"cos near", 1, suites.Cos32, math.Cos, 0x1p-60, 4, 0, []float32{0}},
	{"sin", 0, suites.Sin32, math.Sin, 4, 8192, 0x1p-35, nil},
	{"cos", 1, suites.Cos32, math.Cos, 4, 8192, 0x1p-35, nil},
	{"tanh_near", 7, nil, math.Tanh, 0x1p-60, 0.625, 0, []float32{0}},
	{"exp_near", 8, suites.Exp32, math.Exp, 0x1p-126, 87, 0, []float32{0}},
}

// dense is floats of both signs with magnitudes in [lo,hi), every stride-th one, then the
// special ones.
func (f function) dense(stride uint32) (xs []float32) {
	for b := math.Float32bits(f.lo); b < math.Float32bits(f.hi); b += stride {
		x := math.Float32frombits(b)
		xs = append(xs, x, -x)
	}
	return append(xs, f.special...)
}

// judge compares results with float64 and returns the worst error in ULP beyond the
// absolute part.
func (f function) judge(t *testing.T, xs, ys []float32) (worst float64) {
	t.Helper()
	var at float32
	for i, x := range xs {
		exact := f.exact(float64(x))
		if y := ys[i]; float64(y) == float64(float32(exact)) || math.IsNaN(exact) && y != y {
			continue
		}
		_, e := math.Frexp(exact)
		off := (math.Abs(float64(ys[i])-exact) - f.absolute) / math.Ldexp(1, max(e, -125)-24)
		if !(off <= worst) {
			worst, at = off, x
		}
	}
	if !(worst <= 2) {
		t.Errorf("%s(%v) is off by %.3f ULP, at most 2", f.name, at, worst)
	}
	return worst
}

func TestFunctionsAgainstFloat64(t *testing.T) {
	for _, f := range functions {
		if f.twin == nil {
			continue
		}
		xs := f.dense(997)
		ys := make([]float32, len(xs))
		for i, x := range xs {
			ys[i] = f.twin(x)
		}
		t.Logf("%s: %.3f ULP", f.name, f.judge(t, xs, ys))
	}
}

// TestFunctionsOnDevices measures the functions on two drivers, as they are and where the driver
// may fuse: within 2 ULP, the former with the bits of the twins in Go.
func TestFunctionsOnDevices(t *testing.T) {
	_, devices := vktest.Devices(t, "1+swiftshader")
	for _, d := range devices {
		for _, f := range functions {
			xs := f.dense(10007)
			ys := run(t, d, "dual/functions", f.number, xs)
			t.Logf("%s: %s: %.3f ULP", d.Info().Name, f.name, f.judge(t, xs, ys))
			fused := run(t, d, "dual/functions_fused", f.number, xs)
			t.Logf("%s, fused: %s: %.3f ULP", d.Info().Name, f.name, f.judge(t, xs, fused))
			for i, x := range xs {
				if f.twin == nil {
					break
				}
				if want := f.twin(x); math.Float32bits(ys[i]) != math.Float32bits(want) && !(want != want && ys[i] != ys[i]) {
					t.Errorf("%s: %s(%v) is %v, its twin says %v", d.Info().Name, f.name, x, ys[i], want)
					break
				}
			}
		}
	}
}

// run evaluates a function on one device.
func run(t *testing.T, d *vk.Device, shader string, number uint32, xs []float32) []float32 {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	words, hash, err := shaders.Load(shader)
	check(err)
	k, err := d.NewKernel(words, vk.KernelOptions{Name: shader, Hash: hash, Bindings: 2, PushBytes: 4 * 6})
	check(err)
	size := uint64(4 * len(xs))
	x, err := d.NewBuffer(size, vk.HostWrite)
	check(err)
	y, err := d.NewBuffer(size, vk.HostRead)
	check(err)
	for i, v := range xs {
		binary.LittleEndian.PutUint32(x.Bytes()[4*i:], math.Float32bits(v))
	}
	set, err := d.NewSet(k, []vk.BufferRange{{Buffer: y, Size: size}, {Buffer: x, Size: size}})
	check(err)
	c, err := d.Record([]vk.Op{
		{Kind: vk.OpBarrier, From: vk.StageHost, To: vk.StageCompute},
		{Kind: vk.OpDispatch, Kernel: k, Set: set, Push: []uint32{uint32(len(xs)), 0, 0, 0, 0, number}, Groups: [3]uint32{uint32(len(xs)+255) / 256, 1, 1}},
		{Kind: vk.OpBarrier, From: vk.StageCompute, To: vk.StageHost},
	})
	check(err)
	check(d.Do(t.Context(), c))
	out := make([]float32, len(xs))
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(y.Bytes()[4*i:]))
	}
	check(c.Close())
	check(x.Close())
	check(y.Close())
	check(k.Close())
	d.ResetSets()
	return out
}
