// One band of one signal, filtered with zero phase and made analytic, all in shared memory.
// Three convolutions of 2M real numbers, M = 2^LOGM >= T, each by two complex FFTs of M
// points on pairs of samples: with the reversed taps, with the taps (each time cut to T, as
// the two passes of a zero-phase filter are), and with the kernel of the circular Hilbert
// transform of T points, which 2M > 2T-2 numbers hold for every T. Then:
//   KIND 0: the amplitude in units of its sum / 2^31, whole numbers. The modulation index
//           knows no scale, and sums of whole numbers have the same bits in every order.
//   KIND 1: the samples sorted by the bin of their phase; 2: the same with soft weights, a
//           sample in up to two bins. Bins are found by the signs of cross products.
// A list is 18 headers (first group, entries, sum of weights, 0), then groups of 4 entries
// (sample, with soft binning weight * 65535 in the upper half). A last group that is not
// full repeats its last sample (soft: weight 0).
// Bindings: 0 out (uint, written): T amplitudes or a list per band; 1 x (float), T per signal;
//           2 spectra (vec4, bands and then Hilbert, M/2 each, / M): (H[k], H[M-k]) where
//           1 <= q < M/2 is the pair's rank in bit-reversed order, q = 0: (H[0], H[M], H[M/2]);
//           3 turns (vec2): exp(-2 pi i k / 2M) for k < M, then those of the pairs;
//           4 taps (float), `taps` per band, with DIRECT: both passes of the filter as sums.
// Push:     header, signals (per unit), total (signals in all), bands, band (first in
//           spectra and taps), hilbert (its number there), T, stride (words per band of out), taps.
// Grid:     one band of one signal per work-group of 256; 8 PLANE bytes of shared memory:
//           the includer sets PLANE, at least M and the 2403 that the sorting takes.
// Cost:     6 FFTs of M points, 30 M LOGM + 60 M flop; 8 T bytes.

#define AM_PRECISE
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint LOGM = 11;
layout(constant_id = 3) const uint KIND = 0;
layout(constant_id = 4) const uint DIRECT = 0;
const uint M = 1u << LOGM;
const uint BINS = 18u, SEGMENT = 32u, SEGMENTS = 8u;

layout(set = 0, binding = 0, std430) writeonly restrict buffer O { uint result[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { float x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer S { vec4 spectra[]; };
layout(set = 0, binding = 3, std430) readonly restrict buffer W { vec2 turn[]; };
layout(set = 0, binding = 4, std430) readonly restrict buffer H { float tap[]; };

PUSH(5, uint signals; uint total; uint bands; uint band; uint hilbert; uint samples; uint stride; uint taps;)

shared uint buf[2u * PLANE];

vec2 turns(uint k) { return turn[push.off[3] / 2u + k]; }

#include "pac/fft.glsl"

// The spectrum of pairs at k and M-k, times that of the taps (sign -1: conjugate).
void multiply(uint table, float sign) {
    uint base = push.off[2] / 4u + table * (M / 2u);
    for (uint q = gl_LocalInvocationIndex; q < M / 2u; q += 256u) {
        vec4 h = spectra[base + q];
        if (q == 0u) {
            vec2 a = get(0u), b = get(1u);
            float low = (a.x + a.y) * h.x, high = (a.x - a.y) * h.y;
            put(0u, 0.5 * vec2(low + high, low - high));
            put(1u, cmul(b, vec2(h.z, -sign * h.w)));
            continue;
        }
        uint top = 1u << findMSB(q), p = q + top, mirror = p ^ (2u * top - 1u);
        vec2 w = turns(M + q), a = get(p), b = get(mirror);
        vec2 even = 0.5 * vec2(a.x + b.x, a.y - b.y), odd = 0.5 * vec2(a.y + b.y, b.x - a.x);
        vec2 t = cmul(w, odd);
        vec2 y = cmul(even + t, vec2(h.x, sign * h.y));
        vec2 r = even - t;
        vec2 z = cmul(vec2(r.x, -r.y), vec2(h.z, sign * h.w));
        even = 0.5 * vec2(y.x + z.x, y.y - z.y);
        odd = cmulc(0.5 * vec2(y.x - z.x, y.y + z.y), w);
        put(p, vec2(even.x - odd.y, even.y + odd.x));
        put(mirror, vec2(even.x + odd.y, odd.x - even.y));
    }
    barrier();
}

void cut() {
    for (uint n = gl_LocalInvocationIndex; n < M; n += 256u) {
        if (2u * n + 1u >= push.samples) {
            vec2 v = get(n);
            put(n, vec2(2u * n < push.samples ? v.x : 0.0, 0.0));
        }
    }
    barrier();
}

// Sum over taps of h[k] in[n +- (k - c)], in at word `from` of the buffer.
float sum_taps(uint from, uint n, bool backward) {
    uint first = push.off[4] + (push.band + group_index() % push.bands) * push.taps;
    int c = int(push.taps / 2u), t = int(push.samples), i = int(n);
    int lo = max(backward ? c + i - t + 1 : c - i, 0), hi = min(backward ? c + i : c + t - 1 - i, int(push.taps) - 1);
    float s = 0.0;
    for (int k = lo; k <= hi; k++) {
        int at = backward ? i - (k - c) : i + (k - c);
        s += tap[first + uint(k)] * uintBitsToFloat(buf[from + uint(at)]);
    }
    return s;
}

void filter_direct(uint from) {
    uint tid = gl_LocalInvocationIndex, samples = push.samples;
    for (uint n = tid; n < samples; n += 256u) buf[n] = floatBitsToUint(x[from + n]);
    barrier();
    for (uint n = tid; n < samples; n += 256u) buf[PLANE + n] = floatBitsToUint(sum_taps(0u, n, false));
    barrier();
    vec2 y[8];
    for (uint j = 0u; j < 8u; j++) {
        uint n = 2u * (tid + 256u * j);
        y[j] = vec2(n < samples ? sum_taps(PLANE, n, true) : 0.0, n + 1u < samples ? sum_taps(PLANE, n + 1u, true) : 0.0);
    }
    barrier();
    for (uint n = tid; n < M; n += 256u) put(n, vec2(0.0));
    barrier();
    for (uint j = 0u; j < 8u; j++) {
        uint n = tid + 256u * j;
        if (n < M) put(n, y[j]);
    }
    barrier();
}

#include "pac/sort.glsl"

void main() {
    uint tid = gl_LocalInvocationIndex, samples = push.samples;
    uint group = group_index(), band = group % push.bands, signal = group / push.bands;
    if (signal >= push.count * push.signals) return; // the whole work-group
    if (push.first_lo * push.signals + signal >= push.total) return;
    uint from = push.off[1] + signal * samples, into = push.off[0] + group * push.stride;
    if (DIRECT != 0u) {
        filter_direct(from);
    } else {
        for (uint n = tid; n < M; n += 256u) {
            put(n, vec2(2u * n < samples ? x[from + 2u * n] : 0.0, 2u * n + 1u < samples ? x[from + 2u * n + 1u] : 0.0));
        }
        barrier();
    }
    vec2 re[8], im[8];
    for (uint pass = DIRECT != 0u ? 2u : 0u; pass < 3u; pass++) { // one copy of the code
        if (pass == 2u) {
            for (uint j = 0u; j < 8u; j++) {
                uint n = tid + 256u * j;
                re[j] = n < M ? get(n) : vec2(0.0);
            }
            barrier();
        }
        fft_forward();
        multiply(pass == 2u ? push.hilbert : push.band + band, pass == 0u ? -1.0 : 1.0);
        fft_inverse();
        cut();
    }
    for (uint j = 0u; j < 8u; j++) {
        uint n = tid + 256u * j;
        im[j] = n < M ? get(n) : vec2(0.0);
    }
    barrier();
    if (KIND == 0u) {
        float sum = 0.0;
        for (uint j = 0u; j < 8u; j++) {
            re[j] = sqrt(re[j] * re[j] + im[j] * im[j]); // zero beyond the end
            sum += re[j].x + re[j].y;
        }
        buf[tid] = floatBitsToUint(sum);
        barrier();
        for (uint s = 128u; s > 0u; s /= 2u) {
            if (tid < s) buf[tid] = floatBitsToUint(uintBitsToFloat(buf[tid]) + uintBitsToFloat(buf[tid + s]));
            barrier();
        }
        sum = uintBitsToFloat(buf[0]);
        float scale = sum > 0.0 ? 2147483648.0 / sum : 0.0;
        for (uint j = 0u; j < 8u; j++) {
            uint n = 2u * (tid + 256u * j);
            if (n < samples) result[into + n] = uint(re[j].x * scale + 0.5);
            if (n + 1u < samples) result[into + n + 1u] = uint(re[j].y * scale + 0.5);
        }
    } else {
        sort_by_bin(re, im, into);
    }
}
