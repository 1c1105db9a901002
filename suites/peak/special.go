package peak

import (
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// functions are the special functions that devices have units for, with the error that
// the Vulkan specification (Precision of GLSL.std.450 instructions) allows them on
// [1, 2): ulps of the result, and an absolute part. Those of sin and cos hold in
// [-pi, pi]; sqrt inherits from the reciprocal of inversesqrt.
var functions = []struct {
	id, name string
	ulps     float64
	absolute float64
	f        func(float64) float64
}{
	{"rsqrt", "inverse square root", 2, 0, func(x float64) float64 { return 1 / math.Sqrt(x) }},
	{"exp2", "power of two", 7, 0, math.Exp2},
	{"log2", "binary logarithm", 3, 0x1p-21, math.Log2},
	{"sin", "sine", 0, 0x1p-11, math.Sin},
	{"cos", "cosine", 0, 0x1p-11, math.Cos},
	{"reciprocal", "reciprocal", 2.5, 0, func(x float64) float64 { return 1 / x }},
	{"sqrt", "square root", 4.5, 0, math.Sqrt},
}

const (
	sums = 8       // of an invocation
	step = 0x1p-12 // of the argument
)

func init() {
	for k, fn := range functions {
		suites.Register(rate{
			info: rateInfo(suites.Info{
				ID: "peak/" + fn.id, Tolerance: "E2 (the precision that Vulkan demands)",
				Doc:     "Rate of the device's own " + fn.name + " in float32",
				Formula: "8 sums of f(x + k/4096) over k, x in [1, 1.5)",
				Sizes:   suites.Sizes{S: 1 << 8, M: 1 << 23, L: 1 << 25},
			}, sums*unrolled, 128),
			shader: "peak/special", spec: []program.Spec{{ID: 1, Value: uint32(k)}}, ops: sums * unrolled, words: 1,
			x: raw(idX), alone: true,
			judge: func(t *suites.Tally, i int64, got, x []uint32, _, _ uint32, repeat int) {
				sum, size, allowed := 0.0, 0.0, 0.0
				for j := range sums {
					v := 1 + float64(x[j&3]>>10)/(1<<23)/float64(1+j/4)
					for n := range unrolled * repeat {
						y := fn.f(v + step*float64(n))
						sum += y
						size += math.Abs(y)
						allowed += 2*suites.U*fn.ulps*math.Abs(y) + fn.absolute
					}
				}
				t.Near("sums", i, got[0], sum, allowed+suites.E1(float64(unrolled*repeat+sums), size))
			},
		})
	}
}
