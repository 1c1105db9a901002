// Modulation indices of surrogates: the amplitude is shifted in a circle against the phase,
// by cuts that all signals share, cut(k) = 1 + Philox(seed, k) mod (T-1). Of each chunk of
// permutations mean and M2 (sum of squares about the mean), by Welford's update.
// Why this form: a shift leaves the bins of the phase as they are, so the samples are sorted
// by bin once (pac/analytic), and the sum of a bin is one addition per sample for each
// amplitude, T np na additions a permutation in all. An invocation owns one chunk of
// permutations of one phase band and adds up one bin after the other in a register: no
// sum over invocations, no index that changes, no atomics. All lanes read the same entry of
// the list (one load of 16 bytes for 4 samples), and amplitudes gathered from shared memory
// serve two bands at once, 8 bytes a lane: the limit is the about 12 values a clock that
// shared memory gives for random places, not arithmetic. A product with one-hot weights
// would take 18 times the operations; correlations by FFT pay from some 500 permutations on.
// Amplitudes are whole numbers of sum 2^31, so hard bins are exact; the repeated samples
// that fill up a list are taken off again.
// Bindings: 0 partials (vec2, written): (mean, M2); 1 lists (uvec4); 2 amplitudes (uint).
// Push:     header, signals (per unit; by chunk: in all), np, na, stride (of lists, in
//           uvec4), chunks (in all), chunk (permutations), permutations, seed_lo, seed_hi,
//           bychunk (units are chunks, lists and amplitudes are whole).
// Grid:     a signal and two amplitude bands per work-group, 8 LONGEST bytes of shared memory,
//           which the includer sets, at least T; np * chunks invocations' worth of work.
// Constant: 0 local size.
// Cost:     2 T flop (nominal) per permutation and pair of bands.

#include "common/index.glsl"
#include "common/push.glsl"
#include "common/philox.glsl"
#define AM_PRECISE
#include "common/fmath.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint T = 2048;
layout(constant_id = 2) const uint SOFT = 0;
layout(constant_id = 3) const uint SUMS = 0; // 1: distribution of sums, 0: of means

layout(set = 0, binding = 0, std430) writeonly restrict buffer P { vec2 partials[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer L { uvec4 lists[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer A { uint amplitudes[]; };

PUSH(3, uint signals; uint np; uint na; uint stride; uint chunks; uint chunk; uint permutations; uint seed_lo; uint seed_hi; uint bychunk;)

#include "pac/index.glsl"

const uint WORKLOAD = 42u, CUTS = 3u;

shared uvec2 amplitude[LONGEST];

uvec2 at(uint n, uint cut) {
    uint i = n + cut;
    return amplitude[min(i, i - T)]; // i - T wraps below T
}

vec2 bin_sum(uint list, uint b, uint cut) {
    uvec4 head = lists[list + b];
    uint groups = (head.y + 3u) / 4u, first = list + head.x;
    if (SOFT != 0u) {
        vec2 s = vec2(0.0);
        for (uint i = 0u; i < groups; i++) {
            uvec4 e = lists[first + i];
            uvec4 n = e & 0xFFFFu;
            vec4 w = vec4(e >> 16);
            s += vec2(at(n.x, cut)) * w.x + vec2(at(n.y, cut)) * w.y + vec2(at(n.z, cut)) * w.z + vec2(at(n.w, cut)) * w.w;
        }
        return SUMS != 0u || head.z == 0u ? s : s / float(head.z);
    }
    uvec2 sum = uvec2(0u), last = uvec2(0u);
    for (uint i = 0u; i < groups; i++) {
        uvec4 e = lists[first + i];
        last = at(e.w, cut);
        sum += (at(e.x, cut) + at(e.y, cut)) + (at(e.z, cut) + last);
    }
    sum -= (4u * groups - head.y) * last;
    vec2 s = vec2(sum);
    return SUMS != 0u || head.z == 0u ? s : s / float(head.z);
}

void main() {
    uint pairs = (push.na + 1u) / 2u, group = group_index();
    uint pair = group % pairs, signal = group / pairs;
    bool bychunk = push.bychunk != 0u;
    if (signal >= (bychunk ? push.signals : push.count * push.signals)) return; // the whole work-group
    uint a0 = 2u * pair, a1 = min(a0 + 1u, push.na - 1u);
    uint from = push.off[2] + signal * push.na * T;
    for (uint t = gl_LocalInvocationIndex; t < T; t += gl_WorkGroupSize.x) {
        amplitude[t] = uvec2(amplitudes[from + a0 * T + t], amplitudes[from + a1 * T + t]);
    }
    barrier();
    uint own = bychunk ? push.count : push.chunks, chunk0 = bychunk ? push.first_lo : 0u;
    uint bands = push.np * push.na;
    // By whole rows of 32 invocations a band of the phase, where few of them idle: those that run together
    // then read one list.
    uint row = (own + 31u) & ~31u;
    if ((row - own) * 16u > own) row = own;
    for (uint task = gl_LocalInvocationIndex; task < push.np * row; task += gl_WorkGroupSize.x) {
        uint p = task / row, c = task % row;
        if (c >= own) continue;
        uint list = push.off[1] / 4u + (signal * push.np + p) * push.stride;
        uint k0 = (chunk0 + c) * push.chunk, k1 = min(k0 + push.chunk, push.permutations);
        vec2 mean = vec2(0.0), m2 = vec2(0.0);
        for (uint k = k0; k < k1; k++) {
            uint cut = 1u + stream_word(uvec2(k, 0u), CUTS, WORKLOAD, uvec2(push.seed_lo, push.seed_hi)) % (T - 1u);
            vec2 q[BINS];
            for (uint b = 0u; b < BINS; b++) q[b] = bin_sum(list, b, cut);
            vec2 mi;
            INDEX(q, 0u, mi)
            vec2 d = mi - mean;
            mean += d / float(k - k0 + 1u);
            m2 += d * (mi - mean);
        }
        uint first = bychunk ? (c * push.signals + signal) * bands : signal * bands * push.chunks + c;
        uint step = bychunk ? 1u : push.chunks, pa = p * push.na;
        partials[push.off[0] / 2u + first + (pa + a0) * step] = vec2(mean.x, m2.x);
        if (a1 != a0) partials[push.off[0] / 2u + first + (pa + a1) * step] = vec2(mean.y, m2.y);
    }
}
