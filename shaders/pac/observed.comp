#version 460
// Modulation indices without a shift, of a signal and two amplitude bands: one invocation
// per phase band and bin, 14 phase bands at a time.
// Bindings: 0 mi (float, written), np * na per signal; 1 lists (uvec4); 2 amplitudes (uint).
// Push:     header, signals (per unit; whole: in all), np, na, stride (of lists, in uvec4),
//           whole (all arrays are, and a launch has one unit).
// Grid:     a signal and two amplitude bands per work-group of 256.
// Cost:     2 T flop (nominal) per pair of bands.

#include "common/index.glsl"
#include "common/push.glsl"
#define AM_PRECISE
#include "common/fmath.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint T = 2048;
layout(constant_id = 2) const uint SOFT = 0;
layout(constant_id = 3) const uint SUMS = 0;

layout(set = 0, binding = 0, std430) writeonly restrict buffer R { float mi[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer L { uvec4 lists[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer A { uint amplitudes[]; };

PUSH(3, uint signals; uint np; uint na; uint stride; uint whole;)

#include "pac/index.glsl"

const uint AT_ONCE = 14u;

shared vec2 sums[AT_ONCE * BINS];

vec2 bin_sum(uint list, uint b, uint row0, uint row1) {
    uvec4 head = lists[list + b];
    uint groups = (head.y + 3u) / 4u, first = list + head.x;
    vec2 soft = vec2(0.0);
    uvec2 sum = uvec2(0u);
    for (uint i = 0u; i < groups; i++) {
        uvec4 e = lists[first + i];
        for (uint k = 0u; k < 4u; k++) {
            uint n = e[k] & 0xFFFFu;
            uvec2 a = uvec2(amplitudes[row0 + n], amplitudes[row1 + n]);
            if (SOFT != 0u) soft += vec2(a) * float(e[k] >> 16);
            else if (4u * i + k < head.y) sum += a;
        }
    }
    vec2 s = SOFT != 0u ? soft : vec2(sum);
    return SUMS != 0u || head.z == 0u ? s : s / float(head.z);
}

void main() {
    uint pairs = (push.na + 1u) / 2u, group = group_index();
    uint pair = group % pairs, signal = group / pairs, tid = gl_LocalInvocationIndex;
    if (signal >= (push.whole != 0u ? push.signals : push.count * push.signals)) return; // the whole work-group
    uint a0 = 2u * pair, a1 = min(a0 + 1u, push.na - 1u);
    uint rows = push.off[2] + signal * push.na * T;
    for (uint p0 = 0u; p0 < push.np; p0 += AT_ONCE) {
        uint p = p0 + tid / BINS;
        if (tid < AT_ONCE * BINS && p < push.np) {
            uint list = push.off[1] / 4u + (signal * push.np + p) * push.stride;
            sums[tid] = bin_sum(list, tid % BINS, rows + a0 * T, rows + a1 * T);
        }
        barrier();
        p = p0 + tid;
        if (tid < AT_ONCE && p < push.np) {
            vec2 v;
            INDEX(sums, tid * BINS, v)
            uint to = push.off[0] + (signal * push.np + p) * push.na;
            mi[to + a0] = v.x;
            if (a1 != a0) mi[to + a1] = v.y;
        }
        barrier();
    }
}
