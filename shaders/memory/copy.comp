#version 460
// Copy: c[i] = a[i], word for word.
//
// Bindings: 0 c (uvec4, written), 1 a (uvec4, read); a unit is one uvec4.
// Push:     header.
// Grid:     VECTORS * local size consecutive units per work-group, a local size apart
//           per invocation; all loads are issued before the first store.
// Cost:     32 bytes per unit.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer C { uvec4 c[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer A { uvec4 a[]; };
PUSH(2, )

const uint VECTORS = 4u;

void main() {
    const uint w = gl_WorkGroupSize.x;
    uint first = group_index() * (VECTORS * w);
    uint i = first + gl_LocalInvocationID.x;
    uint ic = push.off[0] / 4u + i;
    uint ia = push.off[1] / 4u + i;
    if (first + VECTORS * w <= push.count) {
        uvec4 x0 = a[ia], x1 = a[ia + w], x2 = a[ia + 2u * w], x3 = a[ia + 3u * w];
        c[ic] = x0;
        c[ic + w] = x1;
        c[ic + 2u * w] = x2;
        c[ic + 3u * w] = x3;
        return;
    }
    for (uint j = 0u; j < VECTORS * w; j += w) {
        if (i + j < push.count) c[ic + j] = a[ia + j];
    }
}
