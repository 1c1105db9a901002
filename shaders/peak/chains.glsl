// Sixteen chains of one operation held in registers: enough in flight to fill the
// pipes of any device, and written out sixteen times over, so that the loop around
// them costs less than one operation in a hundred.

#define CHAINS_EACH(F) F(x0, 0) F(x1, 1) F(x2, 2) F(x3, 3) F(x4, 4) F(x5, 5) F(x6, 6) F(x7, 7) \
    F(x8, 8) F(x9, 9) F(x10, 10) F(x11, 11) F(x12, 12) F(x13, 13) F(x14, 14) F(x15, 15)
#define CHAINS_PAIRS(F) F(x0, x1) F(x2, x3) F(x4, x5) F(x6, x7) F(x8, x9) F(x10, x11) F(x12, x13) F(x14, x15)
#define CHAINS_8(S) S S S S S S S S
#define CHAINS_16(S) CHAINS_8(S) CHAINS_8(S)

// The start of chain j for floats: element j mod 4 of the seed over 2^(j div 4), exact.
#define CHAINS_FLOAT(s, j) ((s)[(j) & 3] * (1.0 / float(1 << ((j) >> 2))))
// For integers: that element with the bits of a multiple of j turned.
#define CHAINS_WORD(s, j) ((s)[(j) & 3] ^ (uint(j) * 0x9E3779B9u))
