#version 460
// The best match of each tropical-dual-Clifford element among references, part by part:
//   T = max over references of max(a, b) - |a - b|/2, a and b the scalars of t,
//   D = min of |d_a - d_b|, the scalars of d,
//   G = max of the cosine of the Clifford parts,
//   and 0.4 T + 0.3 (1 - D) + 0.3 G.
// The element's own norm is a factor of all its cosines and applied to the largest.
//
// Bindings: 0 best (vec4, written): T, D, G, combined; 1 x (vec4, read), 2 y (vec4, read),
//             elements of 32 floats, t[8], r[8], d[8], c[8].
// Push:     header; references.
// Grid:     four elements an invocation, work-groups of 256, which share references in tiles
//           of 256 (12 KiB).
// Cost:     25 flop per pair, 17 of them of the cosine.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/order.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Best { vec4 best[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { vec4 x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Y { vec4 y[]; };
PUSH(3, uint references;)

const uint WIDTH = 256u, EACH = 4u;
shared vec4 low[WIDTH];
shared vec4 high[WIDTH];
shared vec4 scalars[WIDTH]; // tropical, dual, 1/norm

void main() {
    uint t = gl_LocalInvocationID.x;
    uint first = group_index() * WIDTH * EACH + t;
    if (group_index() * WIDTH * EACH >= push.count) return; // the whole work-group
    float a[EACH], d[EACH], most_t[EACH], least_d[EACH], most_g[EACH];
    vec4 lo[EACH], hi[EACH];
    [[unroll]] for (uint e = 0u; e < EACH; e++) {
        uint at = push.off[1] / 4u + 8u * min(first + e * WIDTH, push.count - 1u);
        a[e] = x[at].x;
        d[e] = x[at + 4u].x;
        lo[e] = x[at + 6u];
        hi[e] = x[at + 7u];
        most_t[e] = uintBitsToFloat(0xFF800000u);
        most_g[e] = most_t[e];
        least_d[e] = uintBitsToFloat(0x7F800000u);
    }
    for (uint j0 = 0u; j0 < push.references; j0 += WIDTH) {
        barrier();
        uint at = push.off[2] / 4u + 8u * min(j0 + t, push.references - 1u);
        vec4 c0 = y[at + 6u], c1 = y[at + 7u];
        low[t] = c0;
        high[t] = c1;
        scalars[t] = vec4(y[at].x, y[at + 4u].x, inversesqrt(dot(c0, c0) + dot(c1, c1)), 0.0);
        barrier();
        uint n = min(push.references - j0, WIDTH);
        for (uint j = 0u; j < n; j++) {
            vec4 s = scalars[j], c0 = low[j], c1 = high[j];
            [[unroll]] for (uint e = 0u; e < EACH; e++) {
                precise float apart = abs(a[e] - s.x);
                precise float similar = ordered_max(a[e], s.x) - 0.5 * apart; // 0.5 is exact
                most_t[e] = ordered_max(most_t[e], similar);
                precise float off = abs(d[e] - s.y);
                least_d[e] = ordered_min(least_d[e], off);
                most_g[e] = max(most_g[e], (dot(lo[e], c0) + dot(hi[e], c1)) * s.z);
            }
        }
    }
    [[unroll]] for (uint e = 0u; e < EACH; e++) {
        uint i = first + e * WIDTH;
        if (i >= push.count) continue;
        float g = most_g[e] * inversesqrt(dot(lo[e], lo[e]) + dot(hi[e], hi[e]));
        best[push.off[0] / 4u + i] = vec4(most_t[e], least_d[e], g, 0.4 * most_t[e] + 0.3 * (1.0 - least_d[e]) + 0.3 * g);
    }
}
