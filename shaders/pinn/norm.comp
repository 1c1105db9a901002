#version 460
// The squared norm of a device's gradient, alone in its place among those of all devices:
// their sum over the devices brings every device all norms.
//
// Bindings: 0 mine (read); 1 norms (written)
// Push:     header; total (elements of the gradient), rank, ranks
// Grid:     one work-group.
// Cost:     2 operations an element.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Mine { float mine[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Norms { float norms[]; };
PUSH(2, uint total; uint rank; uint ranks;)

shared float part[256];

void main() {
    uint t = gl_LocalInvocationIndex;
    bool one = group_index() == 0u;
    float sum = 0.0;
    for (uint i = t; one && i < push.total; i += 256u) {
        float g = mine[push.off[0] + i];
        sum += g * g;
    }
    part[t] = sum;
    barrier();
    for (uint s = 128u; s > 0u; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        barrier();
    }
    for (uint i = t; one && i < push.ranks; i += 256u) norms[push.off[1] + i] = i == push.rank ? part[0] : 0.0;
}
