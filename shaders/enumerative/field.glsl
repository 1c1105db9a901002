// Arithmetic modulo the BabyBear prime p = 15 2^27 + 1, values below p.

const uint FIELD_P = 0x78000001u;

// a b / 2^32 mod p (Montgomery 1985) for a b < 2^32 p: three wide multiplications.
uint field_mul(uint a, uint b) {
    uint hi, lo, above, below;
    umulExtended(a, b, hi, lo);
    umulExtended(lo * 0x88000001u, FIELD_P, above, below); // p^-1 mod 2^32
    return hi - above + (hi < above ? FIELD_P : 0u);
}

uint field_add(uint a, uint b) {
    uint sum = a + b; // below 2^32
    return sum >= FIELD_P ? sum - FIELD_P : sum;
}

uint field_sub(uint a, uint b) { return a - b + (a < b ? FIELD_P : 0u); }

// Sums of up to 64 bits (hi, lo) of products of two values. A value of up to 2 p 2^32 keeps
// its class modulo p when p 2^32 is subtracted, which is p from hi. With four products at
// first, or with two after each field_fold, neither the sum nor hi < 2 p overflows.
void field_sum(inout uint hi, inout uint lo, uint a, uint b) {
    uint above, below, carry;
    umulExtended(a, b, above, below);
    lo = uaddCarry(lo, below, carry);
    hi += above + carry;
}

// hi < 2 p: the smaller of hi and hi - p, which is large where it wraps.
void field_fold(inout uint hi) { hi = min(hi, hi - FIELD_P); }

// (hi, lo) mod p for hi < p: by 2^32 as in field_mul, but below 2 p, then times 2^32 with the
// quotient from a constant (Shoup; Harvey 2014), again below 2 p.
uint field_reduce(uint hi, uint lo) {
    const uint radix = 0x0FFFFFFEu;    // 2^32 mod p
    const uint quotient = 0x2222221Du; // floor(2^32 radix / p)
    uint above, q, below;
    umulExtended(lo * 0x88000001u, FIELD_P, above, below);
    uint t = hi - above + FIELD_P;
    umulExtended(t, quotient, q, below);
    uint r = t * radix - q * FIELD_P;
    return min(r, r - FIELD_P);
}
