// Keccak-f[1600] (FIPS 202, section 3.2) on lanes held in registers: lane aXY is the
// 64-bit word at column X, row Y, its low half in .x. About 3,600 operations on 64 bits.

#define KECCAK_ROTL(v, n) uvec2(((v).x << (n)) | ((v).y >> (32 - (n))), ((v).y << (n)) | ((v).x >> (32 - (n))))
// By n + 32.
#define KECCAK_ROTLS(v, n) uvec2(((v).y << (n)) | ((v).x >> (32 - (n))), ((v).x << (n)) | ((v).y >> (32 - (n))))

const uvec2 KECCAK_RC[24] = uvec2[24](
    uvec2(0x00000001u, 0x00000000u), uvec2(0x00008082u, 0x00000000u), uvec2(0x0000808au, 0x80000000u),
    uvec2(0x80008000u, 0x80000000u), uvec2(0x0000808bu, 0x00000000u), uvec2(0x80000001u, 0x00000000u),
    uvec2(0x80008081u, 0x80000000u), uvec2(0x00008009u, 0x80000000u), uvec2(0x0000008au, 0x00000000u),
    uvec2(0x00000088u, 0x00000000u), uvec2(0x80008009u, 0x00000000u), uvec2(0x8000000au, 0x00000000u),
    uvec2(0x8000808bu, 0x00000000u), uvec2(0x0000008bu, 0x80000000u), uvec2(0x00008089u, 0x80000000u),
    uvec2(0x00008003u, 0x80000000u), uvec2(0x00008002u, 0x80000000u), uvec2(0x00000080u, 0x80000000u),
    uvec2(0x0000800au, 0x00000000u), uvec2(0x8000000au, 0x80000000u), uvec2(0x80008081u, 0x80000000u),
    uvec2(0x00008080u, 0x80000000u), uvec2(0x80000001u, 0x00000000u), uvec2(0x80008008u, 0x80000000u));

// One round: theta, rho with pi, chi, iota.
#define KECCAK_ROUND(round) { \
    uvec2 c0 = a00 ^ a01 ^ a02 ^ a03 ^ a04; \
    uvec2 c1 = a10 ^ a11 ^ a12 ^ a13 ^ a14; \
    uvec2 c2 = a20 ^ a21 ^ a22 ^ a23 ^ a24; \
    uvec2 c3 = a30 ^ a31 ^ a32 ^ a33 ^ a34; \
    uvec2 c4 = a40 ^ a41 ^ a42 ^ a43 ^ a44; \
    uvec2 d0 = c4 ^ KECCAK_ROTL(c1, 1); \
    uvec2 d1 = c0 ^ KECCAK_ROTL(c2, 1); \
    uvec2 d2 = c1 ^ KECCAK_ROTL(c3, 1); \
    uvec2 d3 = c2 ^ KECCAK_ROTL(c4, 1); \
    uvec2 d4 = c3 ^ KECCAK_ROTL(c0, 1); \
    uvec2 b00 = a00 ^ d0; \
    uvec2 b13 = KECCAK_ROTLS((a01 ^ d0), 4); \
    uvec2 b21 = KECCAK_ROTL((a02 ^ d0), 3); \
    uvec2 b34 = KECCAK_ROTLS((a03 ^ d0), 9); \
    uvec2 b42 = KECCAK_ROTL((a04 ^ d0), 18); \
    uvec2 b02 = KECCAK_ROTL((a10 ^ d1), 1); \
    uvec2 b10 = KECCAK_ROTLS((a11 ^ d1), 12); \
    uvec2 b23 = KECCAK_ROTL((a12 ^ d1), 10); \
    uvec2 b31 = KECCAK_ROTLS((a13 ^ d1), 13); \
    uvec2 b44 = KECCAK_ROTL((a14 ^ d1), 2); \
    uvec2 b04 = KECCAK_ROTLS((a20 ^ d2), 30); \
    uvec2 b12 = KECCAK_ROTL((a21 ^ d2), 6); \
    uvec2 b20 = KECCAK_ROTLS((a22 ^ d2), 11); \
    uvec2 b33 = KECCAK_ROTL((a23 ^ d2), 15); \
    uvec2 b41 = KECCAK_ROTLS((a24 ^ d2), 29); \
    uvec2 b01 = KECCAK_ROTL((a30 ^ d3), 28); \
    uvec2 b14 = KECCAK_ROTLS((a31 ^ d3), 23); \
    uvec2 b22 = KECCAK_ROTL((a32 ^ d3), 25); \
    uvec2 b30 = KECCAK_ROTL((a33 ^ d3), 21); \
    uvec2 b43 = KECCAK_ROTLS((a34 ^ d3), 24); \
    uvec2 b03 = KECCAK_ROTL((a40 ^ d4), 27); \
    uvec2 b11 = KECCAK_ROTL((a41 ^ d4), 20); \
    uvec2 b24 = KECCAK_ROTLS((a42 ^ d4), 7); \
    uvec2 b32 = KECCAK_ROTL((a43 ^ d4), 8); \
    uvec2 b40 = KECCAK_ROTL((a44 ^ d4), 14); \
    a00 = b00 ^ (~b10 & b20); a10 = b10 ^ (~b20 & b30); a20 = b20 ^ (~b30 & b40); a30 = b30 ^ (~b40 & b00); a40 = b40 ^ (~b00 & b10); \
    a01 = b01 ^ (~b11 & b21); a11 = b11 ^ (~b21 & b31); a21 = b21 ^ (~b31 & b41); a31 = b31 ^ (~b41 & b01); a41 = b41 ^ (~b01 & b11); \
    a02 = b02 ^ (~b12 & b22); a12 = b12 ^ (~b22 & b32); a22 = b22 ^ (~b32 & b42); a32 = b32 ^ (~b42 & b02); a42 = b42 ^ (~b02 & b12); \
    a03 = b03 ^ (~b13 & b23); a13 = b13 ^ (~b23 & b33); a23 = b23 ^ (~b33 & b43); a33 = b33 ^ (~b43 & b03); a43 = b43 ^ (~b03 & b13); \
    a04 = b04 ^ (~b14 & b24); a14 = b14 ^ (~b24 & b34); a24 = b24 ^ (~b34 & b44); a34 = b34 ^ (~b44 & b04); a44 = b44 ^ (~b04 & b14); \
    a00 ^= KECCAK_RC[round]; }
