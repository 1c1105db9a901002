#version 460
// Bandwidth of shared memory: every invocation adds up vectors of 16 bytes, neighbours
// reading neighbours, from a place that moves with each round.
//
// Bindings: 0 sums (uint, written), 256 a unit; 1 seed (uint, read), one a unit; a unit is
//           a work-group.
// Push:     header, repeat.
// Grid:     one work-group of 256 per unit.
// Cost:     65,536 repeat bytes read from shared memory per unit.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer S { uint sums[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Seed { uint seed[]; };
PUSH(2, uint repeat;)

const uint VECTORS = 1024u; // 16 KiB: several work-groups fit a processor
shared uvec4 held[VECTORS];

#define ADD(j) sum += held[at + 32u * j];

void main() {
    uint unit = group_index(), t = gl_LocalInvocationID.x;
    if (unit >= push.count) return; // the whole work-group
    uint s = seed[push.off[1] + unit];
    for (uint i = t; i < VECTORS; i += 256u) {
        uint h = (i + 1u) * 0x9E3779B9u ^ s;
        held[i] = uvec4(h, h * 3u, h * 5u, h * 7u);
    }
    barrier();
    uvec4 sum = uvec4(0u);
    for (uint k = 0u; k < push.repeat; k++) {
        uint at = (t + 37u * k) & 511u;
        ADD(0u) ADD(1u) ADD(2u) ADD(3u) ADD(4u) ADD(5u) ADD(6u) ADD(7u)
        ADD(8u) ADD(9u) ADD(10u) ADD(11u) ADD(12u) ADD(13u) ADD(14u) ADD(15u)
    }
    sums[push.off[0] + unit * 256u + t] = sum.x + 3u * sum.y + 5u * sum.z + 7u * sum.w;
}
