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
