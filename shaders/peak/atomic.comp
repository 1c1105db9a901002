#version 460
// Rate of atomic additions in global memory: all invocations of a unit to one counter, or
// each to its own.
//
// Bindings: 0 counters (uint, read and written), 1 or 65,536 a unit.
// Push:     header, repeat, counters a unit.
// Grid:     256 work-groups of 256 per unit.
// Cost:     65,536 repeat additions per unit.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) restrict buffer C { uint counters[]; };
PUSH(1, uint repeat; uint each;)

void main() {
    uint group = group_index(), unit = group / 256u;
    if (unit >= push.count) return;
    uint member = (group & 255u) * 256u + gl_LocalInvocationID.x;
    uint at = push.off[0] + unit * push.each + (push.each > 1u ? member : 0u);
    for (uint k = 0u; k < push.repeat; k++) atomicAdd(counters[at], member + 3u * k + 1u);
}
