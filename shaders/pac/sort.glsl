// Sorts the samples that the invocations hold (two at 2(tid + 256 j)) by the bin of their
// phase and writes the list: counting sort over the order (invocation, j), so the list
// depends on nothing else. Part of pac/analytic.

// Angles 20 j degrees (edges) and 20 j + 10 degrees (centres) of the upper half-plane.
const vec2 EDGE[9] = vec2[9](vec2(1.0, 0.0), vec2(0.939692621, 0.342020143), vec2(0.766044443, 0.642787610),
    vec2(0.5, 0.866025404), vec2(0.173648178, 0.984807753), vec2(-0.173648178, 0.984807753),
    vec2(-0.5, 0.866025404), vec2(-0.766044443, 0.642787610), vec2(-0.939692621, 0.342020143));
const vec2 CENTRE[9] = vec2[9](vec2(0.984807753, 0.173648178), vec2(0.866025404, 0.5), vec2(0.642787610, 0.766044443),
    vec2(0.342020143, 0.939692621), vec2(0.0, 1.0), vec2(-0.342020143, 0.939692621),
    vec2(-0.642787610, 0.766044443), vec2(-0.866025404, 0.5), vec2(-0.984807753, 0.173648178));

float cross2(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }

// The bin of z, and with soft binning its second bin << 16 | 65535 * second weight.
uvec2 bin_of(vec2 z) {
    bool lower = z.y < 0.0;
    if (lower) z = -z;
    uint c = 0u;
    for (uint j = 1u; j < 9u; j++) c += cross2(EDGE[j], z) >= 0.0 ? 1u : 0u;
    uint b = lower ? c : c + 9u;
    if (KIND != 2u) return uvec2(b, 0u);
    float along = dot(CENTRE[c], z), off = cross2(CENTRE[c], z);
    float d = along > 0.0 ? am_atan(off / along) : 0.0;
    float e = am_exp((2.0 * abs(d) - 0.34906585) * 100.0);
    uint second = d < 0.0 ? (b + BINS - 1u) % BINS : (b + 1u) % BINS;
    return uvec2(b, second << 16 | uint(65535.0 * (e / (1.0 + e)) + 0.5));
}

const uint SEGS = BINS * 256u;                 // in buf: counts, then sums of segments,
const uint TOTAL = SEGS + BINS * SEGMENTS;     // entries, first groups and weights of bins
const uint FIRST = TOTAL + BINS, WEIGHT = FIRST + BINS;

uint next_in(uint b) {
    uint at = b * 256u + gl_LocalInvocationIndex;
    uint rank = buf[at];
    buf[at] = rank + 1u;
    return rank;
}

void emit(uint into, uint b, uint entry) {
    uint seg = gl_LocalInvocationIndex / SEGMENT, rank = next_in(b);
    for (uint s = 0u; s < seg; s++) rank += buf[SEGS + b * SEGMENTS + s];
    uint at = into + 4u * BINS + 4u * buf[FIRST + b] + rank;
    result[at] = entry;
    uint n = buf[TOTAL + b];
    if (rank + 1u == n) {
        for (uint k = n; (k & 3u) != 0u; k++) result[at + k - rank] = KIND == 2u ? 0u : entry;
    }
}

vec2 sample_at(vec2 re[8], vec2 im[8], uint j) {
    vec2 x = re[j / 2u], y = im[j / 2u];
    return (j & 1u) == 0u ? vec2(x.x, y.x) : vec2(x.y, y.y);
}

void sort_by_bin(vec2 re[8], vec2 im[8], uint into) {
    uint tid = gl_LocalInvocationIndex;
    for (uint b = 0u; b < BINS; b++) buf[b * 256u + tid] = 0u;
    if (tid < BINS) buf[WEIGHT + tid] = 0u;
    barrier();
    for (uint j = 0u; j < 16u; j++) {
        uint n = 2u * (tid + 256u * (j / 2u)) + (j & 1u);
        if (n < push.samples) {
            uvec2 b = bin_of(sample_at(re, im, j));
            uint w = b.y & 0xFFFFu;
            next_in(b.x);
            atomicAdd(buf[WEIGHT + b.x], KIND == 2u ? 65535u - w : 1u);
            if (w > 0u) {
                next_in(b.y >> 16);
                atomicAdd(buf[WEIGHT + (b.y >> 16)], w);
            }
        }
    }
    barrier();
    if (tid < BINS * SEGMENTS) { // prefix sums inside segments of invocations
        uint b = tid / SEGMENTS, at = b * 256u + (tid % SEGMENTS) * SEGMENT, sum = 0u;
        for (uint k = 0u; k < SEGMENT; k++) {
            uint n = buf[at + k];
            buf[at + k] = sum;
            sum += n;
        }
        buf[SEGS + tid] = sum;
    }
    barrier();
    if (tid < BINS) {
        uint n = 0u;
        for (uint s = 0u; s < SEGMENTS; s++) n += buf[SEGS + tid * SEGMENTS + s];
        buf[TOTAL + tid] = n;
    }
    barrier();
    if (tid < BINS) {
        uint first = 0u, n = buf[TOTAL + tid];
        for (uint b = 0u; b < tid; b++) first += (buf[TOTAL + b] + 3u) / 4u;
        buf[FIRST + tid] = first;
        result[into + 4u * tid] = BINS + first;
        result[into + 4u * tid + 1u] = n;
        result[into + 4u * tid + 2u] = buf[WEIGHT + tid];
        result[into + 4u * tid + 3u] = 0u;
    }
    barrier();
    for (uint j = 0u; j < 16u; j++) {
        uint n = 2u * (tid + 256u * (j / 2u)) + (j & 1u);
        if (n < push.samples) {
            uvec2 b = bin_of(sample_at(re, im, j));
            uint w = b.y & 0xFFFFu;
            emit(into, b.x, KIND == 2u ? (65535u - w) << 16 | n : n);
            if (w > 0u) emit(into, b.y >> 16, w << 16 | n);
        }
    }
}
