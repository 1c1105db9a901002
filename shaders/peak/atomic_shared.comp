#version 460
// Rate of atomic additions in shared memory: all invocations of a work-group to one
// counter, or each to its own.
//
// Bindings: 0 sums (uint, written), 256 a unit; a unit is a work-group.
// Push:     header, repeat, counters (1 or 256).
// Grid:     one work-group of 256 per unit.
// Cost:     256 repeat additions per unit.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer S { uint sums[]; };
PUSH(1, uint repeat; uint counters;)

shared uint counter[256];

void main() {
    uint unit = group_index(), t = gl_LocalInvocationID.x;
    if (unit >= push.count) return; // the whole work-group
    counter[t] = push.first_lo + unit;
    barrier();
    uint at = t & (push.counters - 1u);
    for (uint k = 0u; k < push.repeat; k++) atomicAdd(counter[at], t + 3u * k + 1u);
    barrier();
    sums[push.off[0] + unit * 256u + t] = counter[at] + t;
}
