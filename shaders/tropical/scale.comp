#version 460
// Tropical scaling: subtracts from each row its maximum, in place. One rounding.
// Bindings: 0 y (float), a row per unit, stride `width`.
// Push:     header, width.
// Grid:     one row per work-group of 256.
// Cost:     2 flop and 8 bytes per element.

#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) buffer Y { float y[]; };

PUSH(1, uint width;)

shared float most[256];

void main() {
    uint row = group_index();
    if (row >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationIndex, base = push.off[0] + row * push.width;
    float top = uintBitsToFloat(0xFF800000u);
    for (uint i = t; i < push.width; i += 256u) top = max(top, y[base + i]);
    most[t] = top;
    barrier();
    for (uint s = 128u; s > 0u; s /= 2u) {
        if (t < s) most[t] = max(most[t], most[t + s]);
        barrier();
    }
    top = most[0];
    for (uint i = t; i < push.width; i += 256u) {
        precise float scaled = y[base + i] - top;
        y[base + i] = scaled;
    }
}
