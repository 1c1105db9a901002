// The base field of the curve BN254, q = 2188...8583 (254 bits), on eight 32-bit words, low
// first, in Montgomery form: a stands as a 2^256 mod q. Values are below q. And sums of
// points of y^2 = x^3 + 3, in Jacobian coordinates: (x/z^2, y/z^3), z = 0 at infinity.
//
// A sum of points is a program of products, one a turn of a loop: its code holds one product
// instead of sixteen, which a driver compiles in no time and an instruction cache holds.
// Invocations that double, and those that add, take their turns together.
#extension GL_EXT_control_flow_attributes : require

struct Fe { uvec4 lo, hi; };

const uvec4 Q_LO = uvec4(0xD87CFD47u, 0x3C208C16u, 0x6871CA8Du, 0x97816A91u);
const uvec4 Q_HI = uvec4(0x8181585Du, 0xB85045B6u, 0xE131A029u, 0x30644E72u);
const uint Q_INVERSE = 0xE4866389u; // -1/q mod 2^32
const Fe FE_ZERO = Fe(uvec4(0u), uvec4(0u));
const Fe FE_ONE = Fe(uvec4(0xC58F0D9Du, 0xD35D438Du, 0xF5C70B3Du, 0x0A78EB28u), uvec4(0x7879462Cu, 0x666EA36Fu, 0x9A07DF2Fu, 0x0E0A77C1u));

bool fe_is_zero(Fe a) {
    uvec4 any = a.lo | a.hi;
    return (any.x | any.y | any.z | any.w) == 0u;
}

// a + b + carry, and a - b - borrow.
uint carry_add(uint a, uint b, inout uint carry) {
    uint c0, c1;
    uint s = uaddCarry(a, b, c0);
    s = uaddCarry(s, carry, c1);
    carry = c0 + c1;
    return s;
}
uint borrow_sub(uint a, uint b, inout uint borrow) {
    uint b0, b1;
    uint d = usubBorrow(a, b, b0);
    d = usubBorrow(d, borrow, b1);
    borrow = b0 + b1;
    return d;
}

uvec4 carry_add4(uvec4 a, uvec4 b, inout uint carry) {
    uint x = carry_add(a.x, b.x, carry), y = carry_add(a.y, b.y, carry);
    uint z = carry_add(a.z, b.z, carry), w = carry_add(a.w, b.w, carry);
    return uvec4(x, y, z, w);
}
uvec4 borrow_sub4(uvec4 a, uvec4 b, inout uint borrow) {
    uint x = borrow_sub(a.x, b.x, borrow), y = borrow_sub(a.y, b.y, borrow);
    uint z = borrow_sub(a.z, b.z, borrow), w = borrow_sub(a.w, b.w, borrow);
    return uvec4(x, y, z, w);
}

// A value below 2q brought below q.
Fe fe_reduce(Fe a) {
    uint borrow = 0u;
    uvec4 lo = borrow_sub4(a.lo, Q_LO, borrow);
    uvec4 hi = borrow_sub4(a.hi, Q_HI, borrow);
    return borrow != 0u ? a : Fe(lo, hi);
}

Fe fe_add(Fe a, Fe b) {
    uint carry = 0u;
    uvec4 lo = carry_add4(a.lo, b.lo, carry);
    uvec4 hi = carry_add4(a.hi, b.hi, carry);
    return fe_reduce(Fe(lo, hi));
}

Fe fe_sub(Fe a, Fe b) {
    uint borrow = 0u;
    uvec4 lo = borrow_sub4(a.lo, b.lo, borrow);
    uvec4 hi = borrow_sub4(a.hi, b.hi, borrow);
    uvec4 mask = uvec4(0u - borrow);
    uint carry = 0u;
    lo = carry_add4(lo, Q_LO & mask, carry);
    hi = carry_add4(hi, Q_HI & mask, carry);
    return Fe(lo, hi);
}

Fe fe_double(Fe a) { return fe_add(a, a); }

// t + a b + carry: the low word, and the high one as the next carry.
#ifdef BN254_WIDE
uint multiply_add(uint t, uint a, uint b, inout uint carry) {
    uint64_t sum = uint64_t(a) * uint64_t(b) + uint64_t(t) + uint64_t(carry);
    carry = uint(sum >> 32);
    return uint(sum);
}
#else
uint multiply_add(uint t, uint a, uint b, inout uint carry) {
    uint hi, lo, c0, c1;
    umulExtended(a, b, hi, lo);
    lo = uaddCarry(lo, t, c0);
    lo = uaddCarry(lo, carry, c1);
    carry = hi + c0 + c1;
    return lo;
}
#endif

// a b / 2^256 by coarsely integrated operand scanning: a word of b a turn, 136 products of
// words in all. No word beyond the eighth is needed, since q leaves two bits free.
Fe fe_mul(Fe a, Fe b) {
    uvec4 lo = uvec4(0u), hi = uvec4(0u);
    [[unroll]] for (uint i = 0u; i < 8u; i++) {
        uint w = b.lo.x;
        b.lo = uvec4(b.lo.yzw, b.hi.x);
        b.hi = uvec4(b.hi.yzw, 0u);
        uint x = 0u, y = 0u; // carries of a w and of m q
        uint t = multiply_add(lo.x, a.lo.x, w, x);
        uint m = t * Q_INVERSE;
        multiply_add(t, Q_LO.x, m, y);
        lo.x = multiply_add(multiply_add(lo.y, a.lo.y, w, x), Q_LO.y, m, y);
        lo.y = multiply_add(multiply_add(lo.z, a.lo.z, w, x), Q_LO.z, m, y);
        lo.z = multiply_add(multiply_add(lo.w, a.lo.w, w, x), Q_LO.w, m, y);
        lo.w = multiply_add(multiply_add(hi.x, a.hi.x, w, x), Q_HI.x, m, y);
        hi.x = multiply_add(multiply_add(hi.y, a.hi.y, w, x), Q_HI.y, m, y);
        hi.y = multiply_add(multiply_add(hi.z, a.hi.z, w, x), Q_HI.z, m, y);
        hi.z = multiply_add(multiply_add(hi.w, a.hi.w, w, x), Q_HI.w, m, y);
        hi.w = x + y;
    }
    return fe_reduce(Fe(lo, hi));
}

struct Affine { Fe x, y; }; // (0, 0), which is not on the curve, stands for infinity
struct Point { Fe x, y, z; };

const Point INFINITY = Point(FE_ZERO, FE_ZERO, FE_ZERO);

// Points in buffers of uvec4, by the index of the first one: 4 of them hold an affine point, 6
// a Jacobian one.
#define LOAD_AFFINE(buffer, at) Affine(Fe(buffer[at], buffer[(at) + 1u]), Fe(buffer[(at) + 2u], buffer[(at) + 3u]))
#define LOAD_POINT(buffer, at)                                                            \
    Point(Fe(buffer[at], buffer[(at) + 1u]), Fe(buffer[(at) + 2u], buffer[(at) + 3u]), \
          Fe(buffer[(at) + 4u], buffer[(at) + 5u]))
#define STORE_POINT(buffer, at, p)      \
    {                                   \
        uint store_at = at;             \
        buffer[store_at] = p.x.lo;      \
        buffer[store_at + 1u] = p.x.hi; \
        buffer[store_at + 2u] = p.y.lo; \
        buffer[store_at + 3u] = p.y.hi; \
        buffer[store_at + 4u] = p.z.lo; \
        buffer[store_at + 5u] = p.z.hi; \
    }
