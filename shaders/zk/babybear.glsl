// The BabyBear field, p = 15 * 2^27 + 1. Values are canonical residues; the constant
// factor of a product is in Montgomery form (x 2^32), so that the product is not.
#define FIELD uint
#define FIELD_WORDS 1u
#define FIELD_ZERO 0u

const uint MODULUS = 2013265921u;
const uint MODULUS_INVERSE = 0x88000001u; // mod 2^32

// The first to third power of the primitive eighth root and of its inverse, times 2^32.
const uint TURN1 = 1032137103u, TURN2 = 473486609u, TURN3 = 1964242958u;
const uint BACK1 = 49022963u, BACK2 = 1539779312u, BACK3 = 981128818u;

uint f_canonical(uint x) { return x; }
uint f_add(uint a, uint b) { uint s = a + b; return min(s, s - MODULUS); }
uint f_sub(uint a, uint b) { uint d = a - b; return min(d, d + MODULUS); }

// Values below 2^32 that are good as one factor of a product only, canonical again by f_settle.
uint f_add_factor(uint a, uint b) { return a + b; }
uint f_sub_factor(uint a, uint b) { return a - b + MODULUS; }
uint f_settle(uint x) { return min(x, x - MODULUS); }

// a b / 2^32 (Montgomery reduction), a below 2^32.
uint f_mul(uint a, uint b) {
    uint hi, lo, up, down;
    umulExtended(a, b, hi, lo);
    umulExtended(lo * MODULUS_INVERSE, MODULUS, up, down);
    return f_sub(hi, up);
}

// (a - b) times powers of the primitive eighth root or of its inverse.
uint f_turn1(uint a, uint b, bool inverse) { return f_mul(f_sub_factor(a, b), inverse ? BACK1 : TURN1); }
uint f_turn2(uint a, uint b, bool inverse) { return f_mul(f_sub_factor(a, b), inverse ? BACK2 : TURN2); }
uint f_turn3(uint a, uint b, bool inverse) { return f_mul(f_sub_factor(a, b), inverse ? BACK3 : TURN3); }

#define SHARED_FIELD(n) shared uint plane[n];
#define SHARED_PUT(i, value) { plane[i] = value; }
#define SHARED_GET(i) plane[i]
