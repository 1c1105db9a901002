#version 460
// A step of gradient descent: w = w - rate * slope, product and difference each rounded.
// Bindings: 0 w (float), 1 slope (float, read).
// Push:     header, elements, rate.
// Grid:     one element per invocation.
// Cost:     2 flop and 12 bytes per element.

#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) restrict buffer W { float w[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Slope { float slope[]; };

PUSH(2, uint elements; float rate;)

void main() {
    uint i = invocation_index();
    if (i >= push.elements) return;
    precise float step = push.rate * slope[push.off[1] + i];
    precise float next = w[push.off[0] + i] - step;
    w[push.off[0] + i] = next;
}
