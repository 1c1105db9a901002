#version 460
// Vector addition: c[i] = a[i] + b[i].
//
// Bindings: 0 c (vec4, written), 1 a (vec4, read), 2 b (vec4, read); a unit is one vec4.
// Push:     header.
// Grid:     VECTORS * local size consecutive units per work-group, a local size apart
//           per invocation; all loads are issued before the first store.
// Cost:     4 flop and 48 bytes per unit.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer C { vec4 c[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer A { vec4 a[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer B { vec4 b[]; };
PUSH(3, )

const uint VECTORS = 4u;

void main() {
    const uint w = gl_WorkGroupSize.x;
    uint first = group_index() * (VECTORS * w);
    uint i = first + gl_LocalInvocationID.x;
    uint ic = push.off[0] / 4u + i;
    uint ia = push.off[1] / 4u + i;
    uint ib = push.off[2] / 4u + i;
    if (first + VECTORS * w <= push.count) {
        vec4 x0 = a[ia], x1 = a[ia + w], x2 = a[ia + 2u * w], x3 = a[ia + 3u * w];
        vec4 y0 = b[ib], y1 = b[ib + w], y2 = b[ib + 2u * w], y3 = b[ib + 3u * w];
        c[ic] = x0 + y0;
        c[ic + w] = x1 + y1;
        c[ic + 2u * w] = x2 + y2;
        c[ic + 3u * w] = x3 + y3;
        return;
    }
    for (uint j = 0u; j < VECTORS * w; j += w) {
        if (i + j < push.count) c[ic + j] = a[ia + j] + b[ib + j];
    }
}
