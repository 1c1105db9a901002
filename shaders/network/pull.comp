#version 460
// One step of an iteration over a graph by rows: every node adds up what its neighbours
// sent.
//   MODE 0, PageRank:  x' = teleport + spread * mass[0] + damping * sum of sent[j]
//   MODE 1, diffusion: x' = (1 - damping) x + damping * scale * (scale * x + sum of sent[j])
// An invocation makes a row. As the sources of a row are sorted, the rows of a work-group
// go through the nodes side by side and meet the same cache lines: four invocations a row
// were 12 % slower (H200).
//
// Bindings: 0 next (float, written), `chunk` a unit; 1 x (float, read), likewise
//           2 scale (float, read), likewise: see network/start
//           3 sent (float, read), all nodes and a zero behind the last
//           4 sent next (float, written), `chunk` a unit
//           5 ptr (uint, read), chunk + 1 a unit: first groups of rows, end of the last
//           6 edges (uvec4, read): the groups of this device's rows
//           7 mass (float, read)
//           8 partials (float, written), two a unit: the sum of x' (MODE 0: where scale is
//             0) and of |x' - x|
// Push:     header; n (nodes), chunk (rows of a unit, a multiple of 256), base (group of
//           the first edge in binding 6), damping, teleport, spread
// Constant: 1 MODE
// Grid:     a work-group per unit; the local size is fixed, it would change the bits.
// Cost:     2 flop and 8 bytes an edge, 12 bytes or more a row.
#include "common/index.glsl"
#include "common/push.glsl"
#include "network/sums.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint MODE = 0u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Next { float next[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer State { float x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Scale { float scale[]; };
layout(set = 0, binding = 3, std430) readonly buffer Sent { float sent[]; };
layout(set = 0, binding = 4, std430) writeonly buffer SentNext { float sent_next[]; };
layout(set = 0, binding = 5, std430) readonly restrict buffer Ptr { uint ptr[]; };
layout(set = 0, binding = 6, std430) readonly restrict buffer Edges { uvec4 edges[]; };
layout(set = 0, binding = 7, std430) readonly restrict buffer Mass { float mass[]; };
layout(set = 0, binding = 8, std430) writeonly restrict buffer Partials { float partials[]; };
PUSH(9, uint n; uint chunk; uint base; float damping; float teleport; float spread;)

float plus(float p, float q) {
    precise float sum = p + q;
    return sum;
}

float times(float p, float q) {
    precise float product = p * q;
    return product;
}

float gathered(uvec4 e) {
    uint s = push.off[3];
    return plus(plus(sent[s + e.x], sent[s + e.y]), plus(sent[s + e.z], sent[s + e.w]));
}

// The sum over the groups [g, end) of edges, two of them in flight.
float walk(uint g, uint end) {
    uint at = push.off[6] / 4u;
    float s = 0.0;
    for (; g + 1u < end; g += 2u) {
        uvec4 e = edges[at + g], f = edges[at + g + 1u];
        s = plus(plus(s, gathered(e)), gathered(f));
    }
    return g < end ? plus(s, gathered(edges[at + g])) : s;
}

void main() {
    uint u = group_index();
    if (u >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;
    float everywhere = MODE == 0u ? plus(push.teleport, times(push.spread, mass[push.off[7]])) : 0.0;
    uint left = push.n - min((push.first_lo + u) * push.chunk, push.n); // rows that exist
    vec2 mine = vec2(0.0);
    for (uint k = t; k < push.chunk; k += 256u) {
        uint p = push.off[5] + u * (push.chunk + 1u) + k;
        float sum = k < left ? walk(ptr[p] - push.base, ptr[p + 1u] - push.base) : 0.0;
        uint i = u * push.chunk + k;
        float v = 0.0, out_ = 0.0;
        if (k < left) {
            float w = scale[push.off[2] + i], old = x[push.off[1] + i];
            if (MODE == 0u) {
                v = plus(everywhere, times(push.damping, sum));
            } else {
                float mean = times(w, plus(times(w, old), sum));
                v = plus(times(1.0 - push.damping, old), times(push.damping, mean));
            }
            out_ = times(v, w);
            mine = sums_added(mine, vec2(MODE != 0u || w == 0.0 ? v : 0.0, abs(v - old)));
        }
        next[push.off[0] + i] = v;
        sent_next[push.off[4] + i] = out_;
    }
    vec2 sum = group_sum(mine);
    if (t == 0u) {
        partials[push.off[8] + 2u * u] = sum.x;
        partials[push.off[8] + 2u * u + 1u] = sum.y;
    }
}
