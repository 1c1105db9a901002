#version 460
// Latency of memory: one invocation follows a chain of indices through an array, each load
// waiting for the one before it; 1024 hops a unit.
//
// Bindings: 0 ends (uint, written), one a unit; 1 next (uint, read), the whole array: the
//           element of a node, every 32nd, holds the element of the node after it.
// Push:     header, nodes (a power of two).
// Grid:     one invocation for all units, one after the other.
// Cost:     1024 dependent loads per unit.
#include "common/push.glsl"

layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer E { uint ends[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer N { uint next[]; };
PUSH(2, uint nodes;)

#define HOP at = next[first + at];

void main() {
    if (gl_WorkGroupID != uvec3(0u)) return;
    uint first = push.off[1];
    for (uint u = 0u; u < push.count; u++) {
        uint at = 32u * (((push.first_lo + u) * 0x9E3779B1u) & (push.nodes - 1u));
        for (uint k = 0u; k < 128u; k++) { HOP HOP HOP HOP HOP HOP HOP HOP }
        ends[push.off[0] + u] = at;
    }
}
