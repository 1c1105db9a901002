#version 460
// The bias of a layer by itself, in place: y_bo = max(y_bo, bias_o).
// Bindings: 0 y (float), a row per unit, stride `width`; 1 bias (float, read), `width`
// Push:     header, width.
// Grid:     one row per work-group of 256.
// Cost:     1 flop and 8 bytes per element.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) restrict buffer Y { float y[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Bias { float bias[]; };
PUSH(2, uint width;)

void main() {
    uint row = group_index();
    if (row >= push.count) return;
    uint base = push.off[0] + row * push.width;
    for (uint i = gl_LocalInvocationIndex; i < push.width; i += 256u) y[base + i] = max(y[base + i], bias[push.off[1] + i]);
}
