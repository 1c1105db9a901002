#version 460
// Zeros, for counters that atomics add to.
//
// Bindings: 0 counters (uint, written).
// Push:     header, counters a unit.
// Grid:     256 counters per work-group.
// Cost:     4 bytes per counter.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer C { uint counters[]; };
PUSH(1, uint each;)

void main() {
    uint i = invocation_index();
    if (i < push.count * push.each) counters[push.off[0] + i] = 0u;
}
