#version 460
// The Fisher matrix out of the sum over all chunks: F = sum / n, its upper triangle from the
// lower one.
//
// Bindings: 0 F (float, written), d x d; 1 sum (float, read): tiles as in infogeo/gram.glsl.
// Push:     header; d, factor: 1/n.
// Grid:     one element per invocation.
// Cost:     1 flop and 8 bytes per element.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer F { float f[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Sum { float sum[]; };
PUSH(2, uint d; float factor;)

void main() {
    uint at = invocation_index();
    if (at >= push.d * push.d) return;
    uint row = max(at / push.d, at % push.d), column = min(at / push.d, at % push.d);
    uint i = row / 64u, j = column / 64u;
    uint tile = i * (i + 1u) / 2u + j;
    precise float value = sum[push.off[1] + tile * 4096u + row % 64u * 64u + column % 64u] * push.factor;
    f[push.off[0] + at] = value;
}
