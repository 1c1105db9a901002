#version 460
// The rows of a block after its own paths: panel_ij = min over k of (pivot_ik + d_kj).
//
// Bindings: 0 panel (float, written), 64 rows of `pitch` floats; 1 pivot (float, read), 64 x 64;
//           2 d (float, read), the unit of the block
// Push:     header; pitch
// Grid:     a work-group per 64 columns; the local size is fixed.
// Cost:     2 * 64 operations per element.
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/order.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Panel { float panel[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Pivot { float pivot[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer D { float d[]; };
PUSH(3, uint pitch;)

const uint EDGE = 64u;
shared float path[EDGE * EDGE];

void main() {
    uint c0 = group_index() * EDGE;
    if (c0 >= push.pitch) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;
    for (uint e = t; e < EDGE * EDGE; e += 256u) path[e] = pivot[push.off[1] + e];
    barrier();
    uint column = c0 + t % EDGE, first = t / EDGE * 16u; // 16 rows of one column
    float best[16];
    for (uint r = 0u; r < 16u; r++) best[r] = uintBitsToFloat(0x7F800000u);
    for (uint k = 0u; k < EDGE; k++) {
        float v = d[push.off[2] + k * push.pitch + column];
        for (uint r = 0u; r < 16u; r++) best[r] = ordered_min(best[r], path[(first + r) * EDGE + k] + v);
    }
    for (uint r = 0u; r < 16u; r++) panel[push.off[0] + (first + r) * push.pitch + column] = best[r];
}
