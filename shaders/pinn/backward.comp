#version 460
// flags: -O0
// A hidden layer of pinn/train backward: adjoints of a layer's z times the transpose of W
// are those behind the tanh of the layer before; from them to those of its z.
//
// Bindings: 0 adjoints of z (read), 1 theta with its matrices transposed (vec4,
//           read), W from element `at` on; 2 z of the layer before (vec4, read), 3 its
//           adjoints (vec4, written). A unit is a chunk of `chunk` points of C channels of
//           `width`.
// Push:     header; width (a multiple of 4), chunk, at, across (work-groups side by side)
// Constants and grid: pinn/layer.glsl; across work-groups for each 2 PX points.
// Cost:     2 C width^2 operations a point, 3 C width values moved.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "pinn/jets.glsl"

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Source { float source[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Theta { vec4 theta[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Z { vec4 z[]; };
layout(set = 0, binding = 3, std430) writeonly restrict buffer Adjoint { vec4 adjoint[]; };
PUSH(4, uint width; uint chunk; uint at; uint across;)
#include "pinn/layer.glsl"

void finish(vec4 sums[8], uint point, uint points, uint column, uint line) {
    if (point >= points || column >= line) return;
    uint at = point * C * line + column;
    vec4 kept[MOST], b[MOST];
    [[unroll]] for (uint c = 0u; c < C; c++) {
        kept[c] = z[push.off[2] / 4u + at + c * line];
        b[c] = sums[c];
    }
    jets_backward(kept, b);
    [[unroll]] for (uint c = 0u; c < C; c++) adjoint[push.off[3] / 4u + at + c * line] = b[c];
}

void main() {
    uint line = push.width / 4u, group = group_index(), t = gl_LocalInvocationIndex;
    uint points = push.count * push.chunk, point0 = group / push.across * TILE;
    if (point0 >= points) return; // the whole work-group
    uint p = min(t / NT, PX - 1u), n = t % NT, column0 = group % push.across * NT;
    vec4 first[8], second[8];
    product(false, push.off[0] / 4u + point0 * C * line, (push.off[1] + push.at) / 4u, column0, points - point0, line,
            p, n, first, second);
    if (t >= NT * PX) return;
    finish(first, point0 + p, points, column0 + n, line);
    finish(second, point0 + p + PX, points, column0 + n, line);
}
