#version 460
// Bandwidth of the last-level cache: work-groups add up stretches of an array that fits it,
// each from a place of its own, so that the caches before it hold little of that.
//
// Bindings: 0 sums (uint, written), 256 a unit; 1 x (uvec4, read), the whole array; a unit
//           is a work-group.
// Push:     header, repeat, vectors in x (a power of two, at least 65,536).
// Grid:     one work-group of 256 per unit.
// Cost:     65,536 repeat bytes read per unit.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer S { uint sums[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { uvec4 x[]; };
PUSH(2, uint repeat; uint vectors;)

#define LOAD(v, j) uvec4 v = x[first + ((at + 256u * j) & mask)];

void main() {
    uint unit = group_index(), t = gl_LocalInvocationID.x;
    if (unit >= push.count) return; // the whole work-group
    uint mask = push.vectors - 1u, first = push.off[1] / 4u;
    uint place = ((push.first_lo + unit) * 0x9E3779B1u) >> 16;
    uvec4 sum = uvec4(0u);
    for (uint k = 0u; k < push.repeat; k++) {
        uint at = place * 256u + 4096u * k + t;
        LOAD(v0, 0u) LOAD(v1, 1u) LOAD(v2, 2u) LOAD(v3, 3u) LOAD(v4, 4u) LOAD(v5, 5u) LOAD(v6, 6u) LOAD(v7, 7u)
        LOAD(v8, 8u) LOAD(v9, 9u) LOAD(v10, 10u) LOAD(v11, 11u) LOAD(v12, 12u) LOAD(v13, 13u) LOAD(v14, 14u) LOAD(v15, 15u)
        sum += v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7 + v8 + v9 + v10 + v11 + v12 + v13 + v14 + v15;
    }
    sums[push.off[0] + unit * 256u + t] = sum.x + 3u * sum.y + 5u * sum.z + 7u * sum.w;
}
