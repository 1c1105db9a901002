#version 460
// A layer over the max-plus semiring that keeps which input won, the lowest on ties:
//   y_bo = max(max_i (x_bi + W_io), bias_o), `inputs` where only the bias reaches it.
// A unit is a row b.
// Bindings: 0 y (float, written), rows of the launch, stride `outputs`
//           1 x (float, read), rows of the launch, stride `inputs`
//           2 W (float, read), `inputs` rows, stride `outputs`
//           3 bias (float, read), `outputs`
//           4 winner (uint, written), rows of the launch, stride `outputs`
// Push:     header, inputs, outputs.
// Work: 2 flop a pair (nominal; one add, a comparison and two selections).

#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) writeonly buffer Y { float y[]; };
layout(set = 0, binding = 1, std430) readonly buffer X1 { float x1[]; };
layout(set = 0, binding = 1, std430) readonly buffer X4 { vec4 x4[]; };
layout(set = 0, binding = 2, std430) readonly buffer W1 { float w1[]; };
layout(set = 0, binding = 2, std430) readonly buffer W4 { vec4 w4[]; };
layout(set = 0, binding = 3, std430) readonly buffer Bias { float bias[]; };
layout(set = 0, binding = 4, std430) writeonly buffer Winner { uint winner[]; };

PUSH(5, uint inputs; uint outputs;)

#define VEC 0u // multiples of 4 are for tropical/winners64
#define ARGMAX
#include "tropical/layer.glsl"

void layer_end(vec4 v, uvec4 arg, uint row, uint col) {
    if (row >= push.count) return;
    for (uint i = 0u; i < 4u && col + i < push.outputs; i++) {
        float b = bias[push.off[3] + col + i];
        bool join = b > v[i];
        y[push.off[0] + row * push.outputs + col + i] = join ? b : v[i];
        winner[push.off[4] + row * push.outputs + col + i] = join ? push.inputs : arg[i];
    }
}

void main() { layer(); }
