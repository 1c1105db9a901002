#version 460
// flags: -O0
// A hidden layer of pinn/train forward: every channel behind the tanh of the layer before
// times W, the bias on the value, tanh of the value.
//
// Bindings: 0 z of the layer before (read), 1 theta (vec4, read): W (`width` rows),
//           then b, from element `at` on; 2 z (vec4, written). A unit is a chunk of
//           `chunk` points of C channels of `width`.
// Push:     header; width (a multiple of 4), chunk, at, across (work-groups side by side)
// Constants and grid: pinn/layer.glsl; across work-groups for each 2 PX points.
// Cost:     2 C width^2 operations a point, 2 C width values moved.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"
#include "pinn/jets.glsl"

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Source { float source[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Theta { vec4 theta[]; };
layout(set = 0, binding = 2, std430) writeonly restrict buffer Z { vec4 z[]; };
PUSH(3, uint width; uint chunk; uint at; uint across;)
#include "pinn/layer.glsl"

void finish(vec4 sums[8], uint point, uint points, uint column, uint line, vec4 bias) {
    if (point >= points || column >= line) return;
    uint to = push.off[2] / 4u + point * C * line + column;
    vec4 v = sums[0] + bias;
    z[to] = vec4(am_tanh(v.x), am_tanh(v.y), am_tanh(v.z), am_tanh(v.w));
    [[unroll]] for (uint c = 1u; c < C; c++) z[to + c * line] = sums[c];
}

void main() {
    uint line = push.width / 4u, group = group_index(), t = gl_LocalInvocationIndex;
    uint points = push.count * push.chunk, point0 = group / push.across * TILE;
    if (point0 >= points) return; // the whole work-group
    uint p = min(t / NT, PX - 1u), n = t % NT, column0 = group % push.across * NT;
    uint matrix = (push.off[1] + push.at) / 4u;
    vec4 first[8], second[8];
    product(true, push.off[0] / 4u + point0 * C * line, matrix, column0, points - point0, line, p, n, first, second);
    if (t >= NT * PX) return;
    uint column = column0 + n;
    vec4 bias = theta[matrix + push.width * line + min(column, line - 1u)];
    finish(first, point0 + p, points, column, line, bias);
    finish(second, point0 + p + PX, points, column, line, bias);
}
