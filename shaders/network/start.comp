#version 460
// The first state of an iteration over a graph: what each node sends along its edges, and
// the sums over a chunk of rows.
//
// Bindings: 0 x (float, read and written), `chunk` a unit: with MODE 0 written, 1/n each
//           1 scale (float, read): MODE 0 1/out-degree, 0 where there is no edge out;
//             MODE 1 1/sqrt(1 + in-degree)
//           2 sent (float, written): x times scale
//           3 partials (vec2, written), one per unit: MODE 0 the sum of x where scale is 0
//             (dangling mass) and 0, MODE 1 the sum of x and 0
// Push:     header; n (nodes), chunk (rows of a unit, a multiple of 256), x (1/n)
// Constant: 1 MODE: 0 PageRank, 1 diffusion.
// Grid:     a work-group per unit; the local size is fixed, it would change the bits.
#include "common/index.glsl"
#include "common/push.glsl"
#include "network/sums.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint MODE = 0u;
layout(set = 0, binding = 0, std430) restrict buffer State { float x[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Scale { float scale[]; };
layout(set = 0, binding = 2, std430) writeonly restrict buffer Sent { float sent[]; };
layout(set = 0, binding = 3, std430) writeonly restrict buffer Partials { float partials[]; };
PUSH(4, uint n; uint chunk; float first;)

void main() {
    uint u = group_index();
    if (u >= push.count) return; // the whole work-group
    vec2 mine = vec2(0.0);
    for (uint k = gl_LocalInvocationID.x; k < push.chunk; k += 256u) {
        uint i = u * push.chunk + k;
        bool real = (push.first_lo + u) * push.chunk + k < push.n;
        float w = real ? scale[push.off[1] + i] : 0.0;
        float v = 0.0;
        if (real) v = MODE == 0u ? push.first : x[push.off[0] + i];
        if (MODE == 0u || !real) x[push.off[0] + i] = v;
        precise float out_ = v * w;
        sent[push.off[2] + i] = out_;
        if (MODE != 0u || w == 0.0) mine.x = sums_added(mine, vec2(v, 0.0)).x;
    }
    vec2 sum = group_sum(mine);
    if (gl_LocalInvocationID.x == 0u) {
        partials[push.off[3] + 2u * u] = sum.x;
        partials[push.off[3] + 2u * u + 1u] = sum.y;
    }
}
