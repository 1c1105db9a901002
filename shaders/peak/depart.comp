#version 460
// Data for the host: words made of their position.
//
// Bindings: 0 y (uvec4, written), 256 a unit.
// Push:     header.
// Grid:     one work-group of 256 per unit.
// Cost:     4096 bytes per unit.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Y { uvec4 y[]; };
PUSH(1, )

void main() {
    uint unit = group_index();
    if (unit >= push.count) return;
    uint t = gl_LocalInvocationID.x;
    uint h = ((push.first_lo + unit) * 256u + t) * 0x9E3779B1u;
    h ^= h >> 15;
    y[push.off[0] / 4u + unit * 256u + t] = uvec4(h, h * 3u, h * 5u, h * 7u);
}
