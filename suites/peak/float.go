package peak

import (
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() {
	fp32 := rate{
		info: rateInfo(suites.Info{
			ID: "peak/fp32", WorkUnit: "flop", Tolerance: "E1 (n = 32 repeat)",
			Doc:     "Rate of fused multiply-add in float32, in registers",
			Formula: "16 chains x = a x + b, -1 < a <= -0.9995; their sum",
			Sizes:   suites.Sizes{S: 1 << 10, M: 1 << 24, L: 1 << 26},
		}, 512, 4096),
		shader: "peak/fp32", ops: 512, words: 1,
		x: program.Random(idX, -1, 1), a: program.Random(idA, -1, -0.9995), b: program.Random(idB, 0.5, 1),
		judge: func(t *suites.Tally, i int64, got, x []uint32, a, b uint32, repeat int) {
			want, scale := affine(x, a, b, repeat)
			t.Near("sums", i, got[0], want, suites.E1(float64(2*unrolled*repeat+chains), scale))
		},
	}
	suites.Register(fp32)

	fp64 := fp32
	fp64.info = rateInfo(suites.Info{
		ID: "peak/fp64", WorkUnit: "flop", Tolerance: "E1 (n = 32 repeat, u = 2^-52)", Features: []string{"float64"},
		Doc: "Rate of fused multiply-add in float64, in registers", Formula: fp32.info.Formula,
		Sizes: suites.Sizes{S: 1 << 10, M: 1 << 23, L: 1 << 25},
	}, 512, 4096)
	fp64.shader, fp64.needs, fp64.words = "peak/fp64", fp64.info.Features, 2
	fp64.judge = func(t *suites.Tally, i int64, got, x []uint32, a, b uint32, repeat int) {
		want, scale := affine(x, a, b, repeat)
		// The reference rounds like the device: twice the bound of one of them.
		t.Double("sums", i, got[0], got[1], want, 2*suites.E1(float64(2*unrolled*repeat+chains), scale)*0x1p-29)
	}
	suites.Register(fp64)

	suites.Register(rate{
		info: rateInfo(suites.Info{
			ID: "peak/fp16", WorkUnit: "flop", Tolerance: "E0", Features: []string{"float16"},
			Doc:     "Rate of fused multiply-add in packed float16, two lanes a register",
			Formula: "16 chains of 2 lanes, x = b - x and x = b + 1 - x in turn, whole numbers below 2048",
			Sizes:   suites.Sizes{S: 1 << 8, M: 1 << 24, L: 1 << 26},
		}, 1024, 128),
		shader: "peak/fp16", needs: []string{"float16"}, ops: 1024, words: 1,
		x: raw(idX), a: program.Source{Kind: program.Const, Word: 1}, b: raw(idB),
		judge: func(t *suites.Tally, i int64, got, x []uint32, _, _ uint32, repeat int) {
			sum := uint32(0)
			for j := range chains {
				w, weight := pick(x, j), uint32(2*j+1)
				gained := uint32(unrolled / 2 * repeat)
				sum += weight*(w&511+gained) + weight<<8*(w>>9&511+gained)
			}
			t.Bits("sums", i, got[0], sum)
		},
	})

	suites.Register(rate{
		info: rateInfo(suites.Info{
			ID: "peak/max-plus", WorkUnit: "flop", Tolerance: "E0",
			Doc:     "Rate of addition with maximum in float32, the step of tropical products",
			Formula: "8 pairs of chains x = max(x + a, y), y = max(y + b, x), whole numbers",
			Sizes:   suites.Sizes{S: 1 << 10, M: 1 << 23, L: 1 << 25},
		}, 512, 2048),
		shader: "peak/max_plus", ops: 512, words: 1, x: raw(idX), a: raw(idA), b: raw(idB),
		judge: func(t *suites.Tally, i int64, got, x []uint32, a, b uint32, repeat int) {
			p, q := float32(int(a&15)-8), float32(int(b&15)-8)
			sum := float32(0)
			for j := 0; j < chains; j += 2 {
				v, w := float32(pick(x, j)&65535), float32(pick(x, j+1)&65535)
				for range unrolled * repeat {
					v = max(v+p, w)
					w = max(w+q, v)
				}
				sum += v
				sum += w
			}
			t.Float("sums", i, got[0], sum)
		},
	})
}

// affine is the sum of the chains x = a x + b in float64, and the sum of the largest
// magnitude in each: x stays within |x - f| + |f| of 0, f = b/(1-a) its fixed point.
func affine(x []uint32, a, b uint32, repeat int) (sum, scale float64) {
	p, q := float64(math.Float32frombits(a)), float64(math.Float32frombits(b))
	fixed := q / (1 - p)
	for j := range chains {
		v := float64(math.Float32frombits(x[j&3])) / float64(int(1)<<(j>>2))
		scale += math.Abs(v-fixed) + math.Abs(fixed)
		for range unrolled * repeat {
			v = p*v + q
		}
		sum += v
	}
	return sum, scale
}
