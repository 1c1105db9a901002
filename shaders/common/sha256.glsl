// SHA-256 (FIPS 180-4): the compression function on words held in registers.
// One block is 64 rounds written out with 16 rolling schedule words, so that no
// array is indexed at run time. Words are big-endian values, as the standard
// numbers them. About 2.2k 32-bit operations a block with a rotate as one.

struct Digest { uint a, b, c, d, e, f, g, h; };

Digest sha_init() {
    return Digest(0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                  0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u);
}

#define SHA_ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
#define SHA_S0(x) (SHA_ROTR(x, 2) ^ SHA_ROTR(x, 13) ^ SHA_ROTR(x, 22))
#define SHA_S1(x) (SHA_ROTR(x, 6) ^ SHA_ROTR(x, 11) ^ SHA_ROTR(x, 25))
#define SHA_G0(x) (SHA_ROTR(x, 7) ^ SHA_ROTR(x, 18) ^ ((x) >> 3))
#define SHA_G1(x) (SHA_ROTR(x, 17) ^ SHA_ROTR(x, 19) ^ ((x) >> 10))

// One round; the caller rotates the names instead of the values.
#define SHA_R(a, b, c, d, e, f, g, h, w, k) { \
    uint t = h + SHA_S1(e) + ((e & f) ^ (~e & g)) + (k) + w; \
    d += t; \
    h = t + SHA_S0(a) + ((a & b) ^ (a & c) ^ (b & c)); }

// Sixteen rounds on the current schedule words.
#define SHA_R16(k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15) \
    SHA_R(a, b, c, d, e, f, g, h, w0, k0)   SHA_R(h, a, b, c, d, e, f, g, w1, k1) \
    SHA_R(g, h, a, b, c, d, e, f, w2, k2)   SHA_R(f, g, h, a, b, c, d, e, w3, k3) \
    SHA_R(e, f, g, h, a, b, c, d, w4, k4)   SHA_R(d, e, f, g, h, a, b, c, w5, k5) \
    SHA_R(c, d, e, f, g, h, a, b, w6, k6)   SHA_R(b, c, d, e, f, g, h, a, w7, k7) \
    SHA_R(a, b, c, d, e, f, g, h, w8, k8)   SHA_R(h, a, b, c, d, e, f, g, w9, k9) \
    SHA_R(g, h, a, b, c, d, e, f, w10, k10) SHA_R(f, g, h, a, b, c, d, e, w11, k11) \
    SHA_R(e, f, g, h, a, b, c, d, w12, k12) SHA_R(d, e, f, g, h, a, b, c, w13, k13) \
    SHA_R(c, d, e, f, g, h, a, b, w14, k14) SHA_R(b, c, d, e, f, g, h, a, w15, k15)

// The next sixteen schedule words, in place.
#define SHA_W(x, x1, x9, x14) x += SHA_G0(x1) + x9 + SHA_G1(x14);
#define SHA_W16 \
    SHA_W(w0, w1, w9, w14)   SHA_W(w1, w2, w10, w15)  SHA_W(w2, w3, w11, w0)   SHA_W(w3, w4, w12, w1) \
    SHA_W(w4, w5, w13, w2)   SHA_W(w5, w6, w14, w3)   SHA_W(w6, w7, w15, w4)   SHA_W(w7, w8, w0, w5) \
    SHA_W(w8, w9, w1, w6)    SHA_W(w9, w10, w2, w7)   SHA_W(w10, w11, w3, w8)  SHA_W(w11, w12, w4, w9) \
    SHA_W(w12, w13, w5, w10) SHA_W(w13, w14, w6, w11) SHA_W(w14, w15, w7, w12) SHA_W(w15, w0, w8, w13)

Digest sha_block(Digest s, uint w0, uint w1, uint w2, uint w3, uint w4, uint w5, uint w6, uint w7,
                 uint w8, uint w9, uint w10, uint w11, uint w12, uint w13, uint w14, uint w15) {
    uint a = s.a, b = s.b, c = s.c, d = s.d, e = s.e, f = s.f, g = s.g, h = s.h;
    SHA_R16(0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
            0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u)
    SHA_W16
    SHA_R16(0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
            0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u)
    SHA_W16
    SHA_R16(0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
            0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u)
    SHA_W16
    SHA_R16(0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
            0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u)
    return Digest(s.a + a, s.b + b, s.c + c, s.d + d, s.e + e, s.f + f, s.g + g, s.h + h);
}

// RFC 6962 leaf hash H(0x00 | 32-byte leaf): 33 bytes, one block.
Digest merkle_leaf(Digest x) {
    return sha_block(sha_init(),
        x.a >> 8, (x.a << 24) | (x.b >> 8), (x.b << 24) | (x.c >> 8), (x.c << 24) | (x.d >> 8),
        (x.d << 24) | (x.e >> 8), (x.e << 24) | (x.f >> 8), (x.f << 24) | (x.g >> 8), (x.g << 24) | (x.h >> 8),
        (x.h << 24) | 0x00800000u, 0u, 0u, 0u, 0u, 0u, 0u, 264u);
}

// RFC 6962 node hash H(0x01 | left | right): 65 bytes, two blocks.
Digest merkle_node(Digest l, Digest r) {
    Digest m = sha_block(sha_init(),
        0x01000000u | (l.a >> 8), (l.a << 24) | (l.b >> 8), (l.b << 24) | (l.c >> 8), (l.c << 24) | (l.d >> 8),
        (l.d << 24) | (l.e >> 8), (l.e << 24) | (l.f >> 8), (l.f << 24) | (l.g >> 8), (l.g << 24) | (l.h >> 8),
        (l.h << 24) | (r.a >> 8), (r.a << 24) | (r.b >> 8), (r.b << 24) | (r.c >> 8), (r.c << 24) | (r.d >> 8),
        (r.d << 24) | (r.e >> 8), (r.e << 24) | (r.f >> 8), (r.f << 24) | (r.g >> 8), (r.g << 24) | (r.h >> 8));
    return sha_block(m, (r.h << 24) | 0x00800000u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 520u);
}

// Raw node hash H(left | right): 64 bytes, the second block is constant padding.
Digest merkle_raw(Digest l, Digest r) {
    Digest m = sha_block(sha_init(), l.a, l.b, l.c, l.d, l.e, l.f, l.g, l.h, r.a, r.b, r.c, r.d, r.e, r.f, r.g, r.h);
    return sha_block(m, 0x80000000u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 512u);
}

Digest merkle_digest(uvec4 x, uvec4 y) { return Digest(x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w); }
