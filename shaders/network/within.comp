#version 460
// The cost of each node as a medoid: the sum of its distances to the nodes with the same
// nearest medoid. A work-group to a row: invocation t adds elements 4 (t + 256 i) + 0..3 in
// turn, then a tree halves the invocations.
//
// Bindings: 0 cost (float, written), one per unit; 1 d (vec4, read), a unit is a row of
//           `pitch` floats; 2 nearest (uint, read), all nodes
// Push:     header; n (nodes), pitch (a multiple of 4, at least n)
// Grid:     a work-group per unit; the local size is fixed, it would change the bits.
// Cost:     an addition and 4 bytes for each element of a row.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Cost { float cost[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer D { vec4 d[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Nearest { uint nearest[]; };
PUSH(3, uint n; uint pitch;)

shared float sums[256];

void main() {
    uint u = group_index(), t = gl_LocalInvocationID.x;
    if (u >= push.count) return; // the whole work-group
    uint line = push.pitch / 4u, row = push.off[1] / 4u + u * line;
    uint own = nearest[push.off[2] + push.first_lo + u];
    precise float sum = 0.0;
    for (uint q = t; q < line; q += 256u) {
        vec4 x = d[row + q];
        for (uint e = 0u; e < 4u; e++)
            if (4u * q + e < push.n && nearest[push.off[2] + 4u * q + e] == own) sum += x[e];
    }
    sums[t] = sum;
    barrier();
    for (uint width = 128u; width > 0u; width >>= 1) {
        if (t < width) {
            precise float pair = sums[t] + sums[t + width];
            sums[t] = pair;
        }
        barrier();
    }
    if (t == 0u) cost[push.off[0] + u] = sums[0];
}
