#version 460
// The sum of a device's own gradients in the order of its chunks, times a factor, for the
// aggregations of pinn/train that weigh devices.
//
// Bindings: 0 partials (vec4, read), a unit is the gradient of a chunk; 1 mine (vec4, written)
// Push:     header; stride (of a unit), factor (float)
// Grid:     an invocation makes one vec4.
// Cost:     count operations and values moved per element.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Partials { vec4 partials[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Mine { vec4 mine[]; };
PUSH(2, uint stride; float factor;)

void main() {
    uint i = invocation_index(), line = push.stride / 4u;
    if (i >= line) return;
    uint at = push.off[0] / 4u + i;
    vec4 sum = vec4(0.0);
    for (uint u = 0u; u < push.count; u++) sum += partials[at + u * line];
    mine[push.off[1] / 4u + i] = push.factor * sum;
}
