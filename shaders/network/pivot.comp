#version 460
// Shortest paths inside a block of 64 nodes: Floyd-Warshall on the 64 x 64 block of the
// diagonal, in shared memory (16 KiB).
//
// Bindings: 0 pivot (float, written), 64 x 64; 1 d (float, read), the unit of the block
// Push:     header; pitch, column (first column of the block)
// Grid:     one work-group; the local size is fixed.
// Cost:     2 * 64^3 operations in 64 steps.
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/order.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Pivot { float pivot[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer D { float d[]; };
PUSH(2, uint pitch; uint column;)

const uint EDGE = 64u;
shared float path[EDGE * EDGE];

void main() {
    if (group_index() != 0u) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;
    for (uint e = t; e < EDGE * EDGE; e += 256u) {
        path[e] = d[push.off[1] + e / EDGE * push.pitch + push.column + e % EDGE];
    }
    barrier();
    for (uint k = 0u; k < EDGE; k++) {
        // Row and column k do not change in step k, their diagonal element being 0.
        for (uint e = t; e < EDGE * EDGE; e += 256u) {
            path[e] = ordered_min(path[e], path[e / EDGE * EDGE + k] + path[k * EDGE + e % EDGE]);
        }
        barrier();
    }
    for (uint e = t; e < EDGE * EDGE; e += 256u) pivot[push.off[0] + e] = path[e];
}
