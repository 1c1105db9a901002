// Complex FFT of M = 2^LOGM points in shared memory, in place: forward from natural to
// bit-reversed order (decimation in frequency), inverse back (decimation in time), so that
// nothing is ever reordered. Passes of radix 8, the first one of radix 2 or 4 where LOGM
// asks for it: three stages in registers between two barriers. Unscaled. The includer
// declares LOGM, M, PLANE, buf and turns(k) = exp(-2 pi i k / 2M), k < M.
// Real parts are at sw(i), imaginary ones PLANE further: the exclusive-or keeps all passes
// of radix 8 free of bank conflicts.

const float HALF_SQRT = 0.707106781;

vec2 cmul(vec2 a, vec2 b) { return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
vec2 cmulc(vec2 a, vec2 b) { return vec2(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y); } // a conj(b)

uint sw(uint i) { return i ^ ((i >> 5) & 7u) ^ ((i >> 3) & 24u); }
vec2 get(uint i) {
    uint s = sw(i);
    return vec2(uintBitsToFloat(buf[s]), uintBitsToFloat(buf[PLANE + s]));
}
void put(uint i, vec2 v) {
    uint s = sw(i);
    buf[s] = floatBitsToUint(v.x);
    buf[PLANE + s] = floatBitsToUint(v.y);
}

// One butterfly without its twiddle.
#define PAIR(a, b) { vec2 difference = a - b; a = a + b; b = difference; }

// 8 points; element j of the result is frequency bitreverse(j).
void dft8(inout vec2 v[8]) {
    PAIR(v[0], v[4]) PAIR(v[1], v[5]) PAIR(v[2], v[6]) PAIR(v[3], v[7])
    v[5] = HALF_SQRT * vec2(v[5].x + v[5].y, v[5].y - v[5].x);
    v[6] = vec2(v[6].y, -v[6].x);
    v[7] = HALF_SQRT * vec2(v[7].y - v[7].x, -v[7].x - v[7].y);
    PAIR(v[0], v[2]) PAIR(v[1], v[3]) PAIR(v[4], v[6]) PAIR(v[5], v[7])
    v[3] = vec2(v[3].y, -v[3].x);
    v[7] = vec2(v[7].y, -v[7].x);
    PAIR(v[0], v[1]) PAIR(v[2], v[3]) PAIR(v[4], v[5]) PAIR(v[6], v[7])
}

void idft8(inout vec2 v[8]) {
    PAIR(v[0], v[1]) PAIR(v[2], v[3]) PAIR(v[4], v[5]) PAIR(v[6], v[7])
    v[3] = vec2(-v[3].y, v[3].x);
    v[7] = vec2(-v[7].y, v[7].x);
    PAIR(v[0], v[2]) PAIR(v[1], v[3]) PAIR(v[4], v[6]) PAIR(v[5], v[7])
    v[5] = HALF_SQRT * vec2(v[5].x - v[5].y, v[5].x + v[5].y);
    v[6] = vec2(-v[6].y, v[6].x);
    v[7] = HALF_SQRT * vec2(-v[7].x - v[7].y, v[7].x - v[7].y);
    PAIR(v[0], v[4]) PAIR(v[1], v[5]) PAIR(v[2], v[6]) PAIR(v[3], v[7])
}

// Powers 4 2 6 1 5 3 7 of the twiddle, as elements 1 to 7 need them.
void powers(uint lo, uint s, out vec2 w[8]) {
    uint step = M / 4u / s; // 2M / 8s
    w[4] = turns(lo * step);
    w[2] = turns(lo * step * 2u);
    w[1] = turns(lo * step * 4u);
    w[6] = cmul(w[4], w[2]);
    w[5] = cmul(w[4], w[1]);
    w[3] = cmul(w[2], w[1]);
    w[7] = cmul(w[6], w[1]);
    w[0] = vec2(1.0, 0.0);
}

void forward8(uint s) {
    for (uint u = gl_LocalInvocationIndex; u < M / 8u; u += 256u) {
        uint lo = u & (s - 1u), base = ((u - lo) << 3) + lo;
        vec2 v[8];
        for (uint j = 0u; j < 8u; j++) v[j] = get(base + j * s);
        dft8(v);
        if (s > 1u) {
            vec2 w[8];
            powers(lo, s, w);
            for (uint j = 1u; j < 8u; j++) v[j] = cmul(v[j], w[j]);
        }
        for (uint j = 0u; j < 8u; j++) put(base + j * s, v[j]);
    }
    barrier();
}

void inverse8(uint s) {
    for (uint u = gl_LocalInvocationIndex; u < M / 8u; u += 256u) {
        uint lo = u & (s - 1u), base = ((u - lo) << 3) + lo;
        vec2 v[8];
        for (uint j = 0u; j < 8u; j++) v[j] = get(base + j * s);
        if (s > 1u) {
            vec2 w[8];
            powers(lo, s, w);
            for (uint j = 1u; j < 8u; j++) v[j] = cmulc(v[j], w[j]);
        }
        idft8(v);
        for (uint j = 0u; j < 8u; j++) put(base + j * s, v[j]);
    }
    barrier();
}

// The first pass of radix 2 or 4; backwards the last.
void lead(bool inverse) {
    if (LOGM % 3u == 1u) {
        for (uint u = gl_LocalInvocationIndex; u < M / 2u; u += 256u) {
            vec2 a = get(u), b = get(u + M / 2u), w = turns(2u * u);
            if (inverse) b = cmulc(b, w);
            PAIR(a, b)
            put(u, a);
            put(u + M / 2u, inverse ? b : cmul(b, w));
        }
        barrier();
    } else if (LOGM % 3u == 2u) {
        for (uint u = gl_LocalInvocationIndex; u < M / 4u; u += 256u) {
            vec2 a = get(u), b = get(u + M / 4u), c = get(u + M / 2u), d = get(u + M / 4u * 3u);
            vec2 w1 = turns(2u * u), w2 = turns(4u * u), w3 = cmul(w1, w2);
            if (inverse) { // frequencies 0 2 1 3
                b = cmulc(b, w2); c = cmulc(c, w1); d = cmulc(d, w3);
                PAIR(a, b) PAIR(c, d)
                d = vec2(-d.y, d.x);
                PAIR(a, c) PAIR(b, d)
            } else {
                PAIR(a, c) PAIR(b, d)
                d = vec2(d.y, -d.x);
                PAIR(a, b) PAIR(c, d)
                b = cmul(b, w2); c = cmul(c, w1); d = cmul(d, w3);
            }
            put(u, a); put(u + M / 4u, b); put(u + M / 2u, c); put(u + M / 4u * 3u, d);
        }
        barrier();
    }
}

void fft_forward() {
    lead(false);
    for (uint s = (M >> (LOGM % 3u)) / 8u; s > 0u; s /= 8u) forward8(s);
}

void fft_inverse() {
    for (uint s = 1u; s < M >> (LOGM % 3u); s *= 8u) inverse8(s);
    lead(true);
}
