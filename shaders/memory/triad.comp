#version 460
// STREAM triad (McCalpin 1995): a[i] = b[i] + s * c[i], product and sum each rounded.
//
// Bindings: 0 a (vec4, written), 1 b (vec4, read), 2 c (vec4, read); a unit is one vec4.
// Push:     header, s.
// Grid:     VECTORS * local size consecutive units per work-group, a local size apart
//           per invocation; all loads are issued before the first store.
// Cost:     8 flop and 48 bytes per unit.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer A { vec4 a[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer B { vec4 b[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer C { vec4 c[]; };
PUSH(3, float s;)

const uint VECTORS = 4u;

vec4 triad(vec4 y, vec4 z) {
    precise vec4 scaled = push.s * z;
    precise vec4 sum = y + scaled;
    return sum;
}

void main() {
    const uint w = gl_WorkGroupSize.x;
    uint first = group_index() * (VECTORS * w);
    uint i = first + gl_LocalInvocationID.x;
    uint ia = push.off[0] / 4u + i;
    uint ib = push.off[1] / 4u + i;
    uint ic = push.off[2] / 4u + i;
    if (first + VECTORS * w <= push.count) {
        vec4 y0 = b[ib], y1 = b[ib + w], y2 = b[ib + 2u * w], y3 = b[ib + 3u * w];
        vec4 z0 = c[ic], z1 = c[ic + w], z2 = c[ic + 2u * w], z3 = c[ic + 3u * w];
        a[ia] = triad(y0, z0);
        a[ia + w] = triad(y1, z1);
        a[ia + 2u * w] = triad(y2, z2);
        a[ia + 3u * w] = triad(y3, z3);
        return;
    }
    for (uint j = 0u; j < VECTORS * w; j += w) {
        if (i + j < push.count) a[ia + j] = triad(b[ib + j], c[ic + j]);
    }
}
