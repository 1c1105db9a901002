// Complex numbers of two floats as the field of a transform, see common/dft.glsl. Nothing is
// contracted or reordered, so that results have the same bits on every device that rounds by
// IEEE 754.
#define FIELD vec2
#define FIELD_WORDS 2u
#define FIELD_ZERO vec2(0.0)
#define FIELD_ROUNDED // products of many powers would lose digits
#define FIELD_SIXTEENTHS

const float HALF_ROOT = 0.70710678118654752; // of 2, halved: both parts of the first eighth root

vec2 f_add(vec2 a, vec2 b) { precise vec2 r = a + b; return r; }
vec2 f_sub(vec2 a, vec2 b) { precise vec2 r = a - b; return r; }
vec2 f_mul(vec2 a, vec2 b) {
    precise float re = a.x * b.x - a.y * b.y;
    precise float im = a.x * b.y + a.y * b.x;
    return vec2(re, im);
}

// All values are as good as any other.
#define f_add_factor f_add
#define f_sub_factor f_sub
#define f_settle(x) (x)
#define f_canonical(x) (x)

// (a - b) times the first to third power of exp(-2 pi i / 8), or of its inverse.
vec2 f_turn1(vec2 a, vec2 b, bool inverse) {
    vec2 d = f_sub(a, b);
    precise vec2 r = (inverse ? vec2(d.x - d.y, d.x + d.y) : vec2(d.x + d.y, d.y - d.x)) * HALF_ROOT;
    return r;
}
vec2 f_turn2(vec2 a, vec2 b, bool inverse) {
    vec2 d = f_sub(a, b);
    return inverse ? vec2(-d.y, d.x) : vec2(d.y, -d.x);
}
vec2 f_turn3(vec2 a, vec2 b, bool inverse) {
    vec2 d = f_sub(a, b);
    precise vec2 r = (inverse ? vec2(-d.x - d.y, d.x - d.y) : vec2(d.y - d.x, -d.x - d.y)) * HALF_ROOT;
    return r;
}

// x times the e-th power of exp(-2 pi i / 16), or of its inverse; e is 1, 2, 3, 4, 6 or 9.
vec2 f_sixteenth(vec2 x, uint e, bool inverse) {
    const float c = 0.92387953251128676, s = 0.38268343236508977; // of pi / 8
    vec2 zero = vec2(0.0);
    if (e == 2u) return f_turn1(x, zero, inverse);
    if (e == 4u) return f_turn2(x, zero, inverse);
    if (e == 6u) return f_turn3(x, zero, inverse);
    vec2 w = e == 1u ? vec2(c, -s) : e == 3u ? vec2(s, -c) : vec2(-c, s);
    return f_mul(x, inverse ? vec2(w.x, -w.y) : w);
}

#define SHARED_FIELD(n) shared vec2 plane[n];
#define SHARED_PUT(i, value) { plane[i] = value; }
#define SHARED_GET(i) plane[i]
