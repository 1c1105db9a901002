#version 460
// flags: -O0
// The first layer of pinn/train: z = W x + b, whose derivative with respect to coordinate i
// is row i of W and whose second derivatives are zero.
//
// Bindings: 0 points (vec4, read): coordinates, class; 1 theta (vec4, read): W (DIN rows of
//           `width`), then b; 2 z (vec4, written): points of C channels of `width`.
//           A unit is a chunk of `chunk` points.
// Push:     header; width (a multiple of 4), chunk
// Constant: 1 DIN, 2 or 3 coordinates.
// Grid:     an invocation makes 4 neurons of a point.
// Cost:     C vec4 written, 4 tanh.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"
#include "pinn/jets.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Points { vec4 points[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Theta { vec4 theta[]; };
layout(set = 0, binding = 2, std430) writeonly restrict buffer Z { vec4 z[]; };
PUSH(3, uint width; uint chunk;)

void main() {
    uint line = push.width / 4u;
    uint i = invocation_index();
    uint point = i / line, n = i % line;
    if (point >= push.count * push.chunk) return;
    vec4 at = points[push.off[0] / 4u + point];
    uint w = push.off[1] / 4u + n, to = push.off[2] / 4u + point * C * line + n;
    vec4 sum = theta[w + DIN * line];
    [[unroll]] for (uint k = 0u; k < DIN; k++) {
        vec4 row = theta[w + k * line];
        sum += row * at[k];
        z[to + (1u + k) * line] = row;
        z[to + (1u + k + DIN) * line] = vec4(0.0);
    }
    z[to] = vec4(am_tanh(sum.x), am_tanh(sum.y), am_tanh(sum.z), am_tanh(sum.w));
}
