#version 460
// flags: -O0
// The gradient of the first layer's weights and bias over each chunk of points: row i is the
// sum of x_i zb_0 + zb_i, the bias that of zb_0. Second derivatives of the input are zero.
//
// Bindings: 0 points (vec4, read): coordinates, class; 1 adjoints of the first layer (vec4,
//           read): chunks of `chunk` points of C channels of `width`; 2 partials (vec4,
//           written): a unit is the gradient of a chunk, which begins with this layer.
// Push:     header; width (a multiple of 4), chunk, stride (of a unit of partials)
// Constants: 1 DIN; 2 LANES of a point: 32 or 64, not below width / 4
// Grid:     a work-group a chunk; 256 / LANES points at a time, sums in their order.
// Cost:     2 (DIN + 1) operations and values moved per neuron and point.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "pinn/jets.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 2) const uint LANES = 32u;
layout(set = 0, binding = 0, std430) readonly restrict buffer Points { vec4 points[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Adjoint { vec4 adjoint[]; };
layout(set = 0, binding = 2, std430) writeonly restrict buffer Partials { vec4 partials[]; };
PUSH(3, uint width; uint chunk; uint stride;)

const uint GROUPS = 256u / LANES;

shared vec4 part[256];

void main() {
    uint unit = group_index();
    if (unit >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationIndex, group = t / LANES, lane = t % LANES;
    uint line = push.width / 4u;
    bool busy = lane < line;
    vec4 sums[4]; // of the rows, then the bias
    [[unroll]] for (uint i = 0u; i < 4u; i++) sums[i] = vec4(0.0);
    for (uint p = group; p < push.chunk; p += GROUPS) {
        if (!busy) break;
        uint point = unit * push.chunk + p;
        vec4 at = points[push.off[0] / 4u + point];
        uint from = push.off[1] / 4u + point * C * line + lane;
        vec4 value = adjoint[from];
        [[unroll]] for (uint i = 0u; i < DIN; i++) sums[i] += at[i] * value + adjoint[from + (1u + i) * line];
        sums[DIN] += value;
    }
    uint to = (push.off[2] + unit * push.stride) / 4u + lane;
    [[unroll]] for (uint i = 0u; i <= DIN; i++) {
        part[t] = sums[i];
        barrier();
        if (group == 0u && busy) {
            vec4 sum = vec4(0.0);
            for (uint g = 0u; g < GROUPS; g++) sum += part[g * LANES + lane];
            partials[to + i * line] = sum;
        }
        barrier();
    }
}
