#version 460
// A layer of a tropical network: y_bo = max(max_i (x_bi + W_io), bias_o). A unit is a row b.
// Bindings: 0 y (float, written), rows of the launch, stride `outputs`
//           1 x (float/vec4, read), rows of the launch, stride `inputs`
//           2 W (float/vec4, read), `inputs` rows, stride `outputs`
//           3 bias (float, read), `outputs`
// Push:     header, inputs, outputs.
// Constants: 1 VEC: inputs and outputs are multiples of 4: 16-byte accesses;
//           2 FUSED: 0 leaves the bias to tropical/bias.
// Work: 2 flop a pair (one add, one maximum), 128*128*16 pairs and 16 KiB read a step.

#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint VEC = 0u;
layout(constant_id = 2) const uint FUSED = 1u;

layout(set = 0, binding = 0, std430) writeonly buffer Y { float y[]; };
layout(set = 0, binding = 1, std430) readonly buffer X1 { float x1[]; };
layout(set = 0, binding = 1, std430) readonly buffer X4 { vec4 x4[]; };
layout(set = 0, binding = 2, std430) readonly buffer W1 { float w1[]; };
layout(set = 0, binding = 2, std430) readonly buffer W4 { vec4 w4[]; };
layout(set = 0, binding = 3, std430) readonly buffer Bias { float bias[]; };

PUSH(4, uint inputs; uint outputs;)

#include "tropical/layer.glsl"

void layer_end(vec4 v, uint row, uint col) {
    if (row >= push.count) return;
    for (uint i = 0u; i < 4u && col + i < push.outputs; i++) {
        y[push.off[0] + row * push.outputs + col + i] = FUSED == 0u ? v[i] : max(v[i], bias[push.off[3] + col + i]);
    }
}

void main() { layer(); }
