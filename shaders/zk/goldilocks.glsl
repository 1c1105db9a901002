// The Goldilocks field, p = 2^64 - 2^32 + 1, on pairs of 32-bit words, low first.
//
// 2^64 = 2^32 - 1, 2^96 = -1 and 2^192 = 1 mod p: a carry out of 64 bits comes back as
// 2^32 - 1, and roots of unity of order up to 64 are powers of two. Values are any 64
// bits ("loose") unless said to be below p ("canonical").
#define FIELD uvec2
#define FIELD_WORDS 2u
#define FIELD_ZERO uvec2(0u)

// The canonical form of a loose value.
uvec2 f_canonical(uvec2 x) {
    bool over = x.y == 0xFFFFFFFFu && x.x != 0u;
    return over ? uvec2(x.x - 1u, 0u) : x;
}

// (lo, hi) + k (2^32 - 1) for k = 0 or 1; the caller knows that it does not overflow.
uvec2 f_carry(uint lo, uint hi, uint k) {
    uint borrow;
    lo = usubBorrow(lo, k, borrow);
    return uvec2(lo, hi + k - borrow);
}

// a + b and a - b, a loose and b canonical: one correction is then enough.
uvec2 f_add(uvec2 a, uvec2 b) {
    uint c0, c1, c2;
    uint lo = uaddCarry(a.x, b.x, c0);
    uint hi = uaddCarry(a.y, b.y, c1);
    hi = uaddCarry(hi, c0, c2);
    return f_carry(lo, hi, c1 | c2);
}
uvec2 f_sub(uvec2 a, uvec2 b) {
    uint b0, b1, b2, c;
    uint lo = usubBorrow(a.x, b.x, b0);
    uint hi = usubBorrow(a.y, b.y, b1);
    hi = usubBorrow(hi, b0, b2);
    uint k = b1 | b2;
    lo = uaddCarry(lo, k, c);
    return uvec2(lo, hi - k + c);
}

// w0 + w1 2^32 + w2 2^64 + w3 2^96 as a loose value.
uvec2 f_reduce(uint w0, uint w1, uint w2, uint w3) {
    uint b0, k, c0, c1, c2;
    uint lo = usubBorrow(w0, w3, b0);
    uint hi = usubBorrow(w1, b0, k);
    lo = uaddCarry(lo, k, c0);
    hi = hi - k + c0;
    uint down = 0u - w2; // w2 (2^32 - 1) = (down, w2 - (w2 > 0))
    uint up = w2 - uint(w2 != 0u);
    lo = uaddCarry(lo, down, c0);
    hi = uaddCarry(hi, up, c1);
    hi = uaddCarry(hi, c0, c2);
    return f_carry(lo, hi, c1 | c2);
}

// a b, all loose.
uvec2 f_mul(uvec2 a, uvec2 b) {
    uint l0, h0, l1, h1, l2, h2, l3, h3, c;
    umulExtended(a.x, b.x, h0, l0);
    umulExtended(a.x, b.y, h1, l1);
    umulExtended(a.y, b.x, h2, l2);
    umulExtended(a.y, b.y, h3, l3);
    uint w1 = uaddCarry(l1, h0, c);
    h1 += c;
    w1 = uaddCarry(w1, l2, c);
    h2 += c;
    uint w2 = uaddCarry(l3, h1, c);
    h3 += c;
    w2 = uaddCarry(w2, h2, c);
    return f_reduce(l0, w1, w2, h3 + c);
}

// Loose values are factors as they are.
#define f_add_factor f_add
#define f_sub_factor f_sub
#define f_settle(x) (x)

// x 2^24, x 2^48 and x 2^72 of a loose value, loose.
uvec2 f_shift24(uvec2 x) { return f_reduce(x.x << 24, (x.y << 24) | (x.x >> 8), x.y >> 8, 0u); }
uvec2 f_shift48(uvec2 x) { return f_reduce(0u, x.x << 16, (x.y << 16) | (x.x >> 16), x.y >> 16); }
uvec2 f_shift72(uvec2 x) { // 2^128 = -2^32
    uint w2 = x.x << 8;
    uvec2 plus = uvec2(0u - w2, w2 - uint(w2 != 0u));
    return f_sub(plus, uvec2((x.y << 8) | (x.x >> 24), x.y >> 24));
}

// (a - b) times the first, second and third power of the primitive eighth root, which
// is -2^24, or of its inverse 2^72. All loose.
uvec2 f_turn1(uvec2 a, uvec2 b, bool inverse) {
    return inverse ? f_shift72(f_sub(a, f_canonical(b))) : f_shift24(f_sub(b, f_canonical(a)));
}
uvec2 f_turn2(uvec2 a, uvec2 b, bool inverse) {
    return inverse ? f_shift48(f_sub(b, f_canonical(a))) : f_shift48(f_sub(a, f_canonical(b)));
}
uvec2 f_turn3(uvec2 a, uvec2 b, bool inverse) {
    return inverse ? f_shift24(f_sub(a, f_canonical(b))) : f_shift72(f_sub(b, f_canonical(a)));
}

// An array of the field in shared memory, as two planes: neighbours lie in different
// banks.
#define SHARED_FIELD(n) shared uint plane_lo[n]; shared uint plane_hi[n];
#define SHARED_PUT(i, value) { uvec2 put = value; plane_lo[i] = put.x; plane_hi[i] = put.y; }
#define SHARED_GET(i) uvec2(plane_lo[i], plane_hi[i])
