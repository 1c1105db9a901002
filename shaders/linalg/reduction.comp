#version 460
// Sum, maximum and minimum of the canonical chunks of an array in one pass. A chunk is
// one work-group: each of 256 lanes keeps four vec4 sums over a fixed pattern of elements,
// then shared memory joins them in a fixed order, which does not depend on the subgroup
// size. An invocation of a smaller work-group takes several lanes one after another. Only additions occur, so the sum has the same bits on every device.
//
// Bindings: 0 x (vec4, read), a unit is one chunk of `stride` floats (a multiple of 4);
//           1 sums (float, written), one per chunk;
//           2 extremes (float, written), two per chunk: maximum of x, maximum of -x;
//           3 partials (float, written), three per chunk: sum, maximum of x and of -x.
// Push:     header, stride, last (index of the last chunk that holds elements), tail
//           (elements in that chunk). Later chunks are empty: 0, -inf, -inf.
// Constants: 0 local size, which divides 256; 1 UNROLL: turns of the pattern whose loads are
//           issued together, up to 4
// Grid:     one work-group per chunk.
// Cost:     3 operations and 4 bytes per element.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/order.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint UNROLL = 1u;
layout(set = 0, binding = 0, std430) readonly restrict buffer X { vec4 x[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Sums { float sums[]; };
layout(set = 0, binding = 2, std430) writeonly restrict buffer Extremes { float extremes[]; };
layout(set = 0, binding = 3, std430) writeonly restrict buffer Partials { float partials[]; };
PUSH(4, uint stride; uint last; uint tail;)

const uint WIDTH = 256u;
shared float group_sum[WIDTH];
shared float group_max[WIDTH];
shared float group_min[WIDTH];

vec4 added(vec4 p, vec4 q) {
    precise vec4 sum = p + q;
    return sum;
}

float added(float p, float q) {
    precise float sum = p + q;
    return sum;
}

// Joins the results of invocations t, t + step, ... t + 15 step into t.
void join(uint t, uint step) {
    float s = group_sum[t], hi = group_max[t], lo = group_min[t];
    for (uint j = 1u; j < 16u; j++) {
        s = added(s, group_sum[t + j * step]);
        hi = ordered_max(hi, group_max[t + j * step]);
        lo = ordered_min(lo, group_min[t + j * step]);
    }
    group_sum[t] = s;
    group_max[t] = hi;
    group_min[t] = lo;
}

#define INFINITY uintBitsToFloat(0x7F800000u)

void main() {
    uint chunk = group_index();
    if (chunk >= push.count) return; // the whole work-group
    uint lane = gl_LocalInvocationID.x;
    uint global = push.first_lo + chunk; // the number of chunks is far below 2^32
    uint valid_count = global < push.last ? push.stride : global == push.last ? push.tail : 0u;
    uint base = push.off[0] / 4u + chunk * (push.stride / 4u);
    uint full = valid_count / 4u;

    for (uint part = 0u; part < WIDTH / gl_WorkGroupSize.x; part++) {
        uint t = part * gl_WorkGroupSize.x + lane;
        vec4 s0 = vec4(0.0), s1 = s0, s2 = s0, s3 = s0;
        vec4 hi = vec4(-INFINITY), lo = vec4(INFINITY);
        uint at = t; // in vec4
        for (; at + (4u * UNROLL - 1u) * WIDTH < full; at += 4u * UNROLL * WIDTH) {
            vec4 v[16];
            [[unroll]] for (uint j = 0u; j < 4u * UNROLL; j++) v[j] = x[base + at + j * WIDTH];
            [[unroll]] for (uint j = 0u; j < 4u * UNROLL; j += 4u) {
                s0 = added(s0, v[j]);
                s1 = added(s1, v[j + 1u]);
                s2 = added(s2, v[j + 2u]);
                s3 = added(s3, v[j + 3u]);
                hi = ordered_max(ordered_max(ordered_max(ordered_max(hi, v[j]), v[j + 1u]), v[j + 2u]), v[j + 3u]);
                lo = ordered_min(ordered_min(ordered_min(ordered_min(lo, v[j]), v[j + 1u]), v[j + 2u]), v[j + 3u]);
            }
        }
        // What is left of the pattern: the sums take turns as above.
        for (uint turn = 0u; at * 4u < valid_count; turn = (turn + 1u) & 3u, at += WIDTH) {
            vec4 v = x[base + at];
            bvec4 valid = lessThan(uvec4(at * 4u) + uvec4(0u, 1u, 2u, 3u), uvec4(valid_count));
            vec4 term = mix(vec4(0.0), v, valid);
            if (turn == 0u) s0 = added(s0, term);
            else if (turn == 1u) s1 = added(s1, term);
            else if (turn == 2u) s2 = added(s2, term);
            else s3 = added(s3, term);
            hi = ordered_max(hi, mix(vec4(-INFINITY), v, valid));
            lo = ordered_min(lo, mix(vec4(INFINITY), v, valid));
        }

        vec4 s = added(added(s0, s1), added(s2, s3));
        group_sum[t] = added(added(s.x, s.y), added(s.z, s.w));
        group_max[t] = ordered_max(ordered_max(hi.x, hi.y), ordered_max(hi.z, hi.w));
        group_min[t] = ordered_min(ordered_min(lo.x, lo.y), ordered_min(lo.z, lo.w));
    }
    barrier();
    // 256 to 16 to 1 by sums of 16 in order: two barriers, where a binary tree has eight.
    if (lane < 16u) join(lane, 16u);
    barrier();
    if (lane == 0u) {
        join(0u, 1u);
        sums[push.off[1] + chunk] = group_sum[0];
        extremes[push.off[2] + 2u * chunk] = group_max[0];
        extremes[push.off[2] + 2u * chunk + 1u] = -group_min[0];
        uint p = push.off[3] + 3u * chunk;
        partials[p] = group_sum[0];
        partials[p + 1u] = group_max[0];
        partials[p + 2u] = -group_min[0];
    }
}
