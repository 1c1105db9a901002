#version 460
// The transpose of a square table.
// Bindings: 0 out (float, written), 1 in (float, read): `width` rows of `width`.
// Push:     header, width.
// Grid:     one element of the whole table per invocation, whatever the units.
// Cost:     8 bytes per element.

#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) writeonly restrict buffer Out { float transposed[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer In { float table[]; };

PUSH(2, uint width;)

void main() {
    uint i = invocation_index(), row = i / push.width, col = i - row * push.width;
    if (row >= push.width) return;
    transposed[push.off[0] + i] = table[push.off[1] + col * push.width + row];
}
