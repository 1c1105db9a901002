package peak

import "github.com/amgpu/amgpu/suites"

func init() {
	for _, k := range []struct {
		id, doc string
		roof    string // empty: the id
		needs   []string
		words   int64
		mask    uint64
		sizes   suites.Sizes
	}{
		{"int16", "16-bit integers", "", []string{"int16"}, 1, 1<<16 - 1, suites.Sizes{S: 1 << 10, M: 1 << 23, L: 1 << 25}},
		{"int32", "32-bit integers", "int32 multiply-add", nil, 1, 1<<32 - 1, suites.Sizes{S: 1 << 10, M: 1 << 24, L: 1 << 26}},
		{"int64", "64-bit integers", "", []string{"int64"}, 2, 1<<64 - 1, suites.Sizes{S: 1 << 10, M: 1 << 22, L: 1 << 24}},
	} {
		suites.Register(rate{
			info: rateInfo(suites.Info{
				ID: "peak/" + k.id, Roof: k.roof, Tolerance: "E0", Features: k.needs, Sizes: k.sizes,
				Doc:     "Rate of multiply-add in " + k.doc + ", in registers",
				Formula: "8 pairs of chains x = x y + a, y = y x + b; a polynomial of them",
			}, 512, 4096),
			shader: "peak/" + k.id, needs: k.needs, ops: 512, words: k.words, x: raw(idX), a: raw(idA), b: raw(idB),
			judge: func(t *suites.Tally, i int64, got, x []uint32, a, b uint32, repeat int) {
				sum := uint64(0)
				for j := 0; j < chains; j += 2 {
					v, w := uint64(pick(x, j)), uint64(pick(x, j+1))
					for range unrolled * repeat {
						v = v*w + uint64(a)
						w = w*v + uint64(b)
					}
					sum = (sum*3+v)*3 + w
				}
				sum &= k.mask // the low bits of products and sums are those of the low bits
				for n := range k.words {
					t.Bits("sums", i*k.words+n, got[n], uint32(sum>>(32*n)))
				}
			},
		})
	}
	registerInt32("peak/int32-mixed", "peak/int32_mixed", "Rate of 32-bit integers with multiply-add beside logic, which devices compute in other units",
		"8 pairs of chains x = x y + a, y = y ^ x ^ b; a polynomial of them", func(v, w, a, b uint32) (uint32, uint32) {
			v = v*w + a
			return v, w ^ v ^ b
		})
	registerInt32("peak/int32-logic", "peak/int32_logic", "Rate of 32-bit integers without products, addition and logic in turns",
		"8 pairs of chains x = (x + y) ^ a, y = (y + x) ^ b; a polynomial of them", func(v, w, a, b uint32) (uint32, uint32) {
			v = (v + w) ^ a
			return v, (w + v) ^ b
		})
	suites.Register(rate{
		info: rateInfo(suites.Info{
			ID: "peak/int8-dot", Tolerance: "E0", Features: []string{"integer-dot-product"},
			Doc:     "Rate of dot products of four signed bytes with accumulation (VK_KHR_shader_integer_dot_product)",
			Formula: "16 chains x = dot(x, a) + b on words of four bytes; a polynomial of them",
			Sizes:   suites.Sizes{S: 1 << 8, M: 1 << 22, L: 1 << 24},
		}, 2048, 4096),
		shader: "peak/int8_dot", needs: []string{"integer-dot-product"}, ops: 2048, words: 1, x: raw(idX), a: raw(idA), b: raw(idB),
		judge: func(t *suites.Tally, i int64, got, x []uint32, a, b uint32, repeat int) {
			sum := uint32(0)
			for j := range chains {
				v := pick(x, j)
				for range unrolled * repeat {
					v = dotBytes(v, a) + b
				}
				sum = sum*3 + v
			}
			t.Bits("sums", i, got[0], sum)
		},
	})
}

// registerInt32 registers a rate for the roof int32. There are two of them, as some devices
// multiply slowly and others have units for products and for logic; step is one step of a pair.
func registerInt32(id, shader, doc, formula string, step func(v, w, a, b uint32) (uint32, uint32)) {
	suites.Register(rate{
		info: rateInfo(suites.Info{
			ID: id, Roof: "int32", Tolerance: "E0", Doc: doc, Formula: formula,
			Sizes: suites.Sizes{S: 1 << 10, M: 1 << 24, L: 1 << 26},
		}, 512, 4096),
		shader: shader, ops: 512, words: 1, x: raw(idX), a: raw(idA), b: raw(idB),
		judge: func(t *suites.Tally, i int64, got, x []uint32, a, b uint32, repeat int) {
			sum := uint32(0)
			for j := 0; j < chains; j += 2 {
				v, w := pick(x, j), pick(x, j+1)
				for range unrolled * repeat {
					v, w = step(v, w, a, b)
				}
				sum = (sum*3+v)*3 + w
			}
			t.Bits("sums", i, got[0], sum)
		},
	})
}

// dotBytes is the dot product of the signed bytes of two words, modulo 2^32.
func dotBytes(p, q uint32) uint32 {
	sum := int32(0)
	for n := 0; n < 32; n += 8 {
		sum += int32(int8(p>>n)) * int32(int8(q>>n))
	}
	return uint32(sum)
}
