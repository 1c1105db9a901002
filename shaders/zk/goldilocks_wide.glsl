// The Goldilocks field as in zk/goldilocks.glsl, on 64-bit integers (shaderInt64): values
// are any 64 bits ("loose") unless said to be below p ("canonical").
#define FIELD uint64_t
#define FIELD_WORDS 2u
#define FIELD_ZERO 0ul

const uint64_t EPSILON = 0xFFFFFFFFul; // 2^64 mod p

uint64_t f_canonical(uint64_t x) { return x + EPSILON < x ? x + EPSILON : x; }

// a + b and a - b, a loose and b canonical: one correction is then enough.
uint64_t f_add(uint64_t a, uint64_t b) {
    uint64_t s = a + b;
    return s < a ? s + EPSILON : s;
}
uint64_t f_sub(uint64_t a, uint64_t b) {
    uint64_t d = a - b;
    return a < b ? d - EPSILON : d;
}

// low + middle 2^64 + high 2^96, loose.
uint64_t f_reduce(uint64_t low, uint middle, uint high) {
    return f_add(f_sub(low, uint64_t(high)), uint64_t(middle) * EPSILON);
}

// a b, all loose.
uint64_t f_mul(uint64_t a, uint64_t b) {
    uvec2 x = unpackUint2x32(a), y = unpackUint2x32(b);
    uint64_t low = uint64_t(x.x) * y.x;
    uint64_t one = uint64_t(x.x) * y.y + (low >> 32);
    uint64_t two = uint64_t(x.y) * y.x + (one & EPSILON);
    uvec2 high = unpackUint2x32(uint64_t(x.y) * y.y + (one >> 32) + (two >> 32));
    return f_reduce(packUint2x32(uvec2(uint(low), uint(two))), high.x, high.y);
}

// Loose values are factors as they are.
#define f_add_factor f_add
#define f_sub_factor f_sub
#define f_settle(x) (x)

// x 2^24, x 2^48 and x 2^72 of a loose value, loose; 2^96 is -1.
uint64_t f_shift24(uint64_t x) { return f_add(x << 24, (x >> 40) * EPSILON); }
uint64_t f_shift48(uint64_t x) { return f_reduce(x << 48, uint(x >> 16), uint(x >> 48)); }
uint64_t f_shift72(uint64_t x) { return f_sub(uint64_t(uint(x) << 8) * EPSILON, x >> 24); }

// (a - b) times the first, second and third power of the primitive eighth root, which
// is -2^24, or of its inverse 2^72. All loose.
uint64_t f_turn1(uint64_t a, uint64_t b, bool inverse) {
    return inverse ? f_shift72(f_sub(a, f_canonical(b))) : f_shift24(f_sub(b, f_canonical(a)));
}
uint64_t f_turn2(uint64_t a, uint64_t b, bool inverse) {
    return inverse ? f_shift48(f_sub(b, f_canonical(a))) : f_shift48(f_sub(a, f_canonical(b)));
}
uint64_t f_turn3(uint64_t a, uint64_t b, bool inverse) {
    return inverse ? f_shift24(f_sub(a, f_canonical(b))) : f_shift72(f_sub(b, f_canonical(a)));
}

// An array of the field in shared memory, as two planes: neighbours lie in different
// banks.
#define SHARED_FIELD(n) shared uint plane_lo[n]; shared uint plane_hi[n];
#define SHARED_PUT(i, value) { uvec2 put = unpackUint2x32(value); plane_lo[i] = put.x; plane_hi[i] = put.y; }
#define SHARED_GET(i) packUint2x32(uvec2(plane_lo[i], plane_hi[i]))
