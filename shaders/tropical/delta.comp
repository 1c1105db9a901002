#version 460
// The slope of the loss 1/2 sum (y - t)^2: delta = y - t.
// Bindings: 0 delta (float, written), 1 y (float, read), 2 t (float, read); `width` each per
//           unit.
// Push:     header, width.
// Grid:     one element per invocation.
// Cost:     1 flop and 12 bytes per element.

#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) writeonly restrict buffer Delta { float delta[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Y { float y[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer T { float target[]; };

PUSH(3, uint width;)

void main() {
    uint i = invocation_index();
    if (i >= push.count * push.width) return;
    precise float d = y[push.off[1] + i] - target[push.off[2] + i];
    delta[push.off[0] + i] = d;
}
