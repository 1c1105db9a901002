#version 460
// Latency of shared memory: as peak/latency, through 4096 indices in shared memory.
//
// Bindings: 0 ends (uint, written), one a unit.
// Push:     header, factor and term of the chain i -> factor i + term mod 4096.
// Grid:     one work-group of 64, of which one invocation follows the chain, for all units.
// Cost:     1024 dependent loads from shared memory per unit.
#include "common/push.glsl"

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer E { uint ends[]; };
PUSH(1, uint factor; uint term;)

const uint NODES = 4096u;
shared uint next[NODES];

#define HOP at = next[at];

void main() {
    if (gl_WorkGroupID != uvec3(0u)) return; // the whole work-group
    for (uint i = gl_LocalInvocationID.x; i < NODES; i += 64u) next[i] = (push.factor * i + push.term) & (NODES - 1u);
    barrier();
    if (gl_LocalInvocationID.x > 0u) return;
    for (uint u = 0u; u < push.count; u++) {
        uint at = ((push.first_lo + u) * 0x9E3779B1u) & (NODES - 1u);
        for (uint k = 0u; k < 128u; k++) { HOP HOP HOP HOP HOP HOP HOP HOP }
        ends[push.off[0] + u] = at;
    }
}
