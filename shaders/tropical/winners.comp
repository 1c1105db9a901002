#version 460
// A layer over the max-plus semiring that keeps which input won, the lowest on ties:
//   y_bo = max(max_i (x_bi + W_io), bias_o), `inputs` where only the bias reaches it, or
//   y_bo = max_i (x_bi + W_io) + bias_(s)o with EMIT, s the row's symbol at `time`.
// A unit is a row b.
// Bindings: 0 y (float, written), rows of the launch, stride `outputs`
//           1 x (float/vec4, read), rows of the launch, stride `inputs`
//           2 W (float/vec4, read), `inputs` rows, stride `outputs`
//           3 bias (float, read), rows of `outputs`: one, or one per symbol
//           4 winner (uint, written), rows of the launch, stride `span`, from `first` on
//           5 symbol (uint, read with EMIT; else any array), rows, stride `times`
// Push:     header, inputs, outputs, span, first, times, time.
// Constants: 1 VEC: inputs and outputs are multiples of 4: 16-byte accesses; 2 EMIT
// Work: 2 flop a pair (nominal; one add, a comparison and two selections).

#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint VEC = 0u;
layout(constant_id = 2) const uint EMIT = 0u;

layout(set = 0, binding = 0, std430) writeonly buffer Y { float y[]; };
layout(set = 0, binding = 1, std430) readonly buffer X1 { float x1[]; };
layout(set = 0, binding = 1, std430) readonly buffer X4 { vec4 x4[]; };
layout(set = 0, binding = 2, std430) readonly buffer W1 { float w1[]; };
layout(set = 0, binding = 2, std430) readonly buffer W4 { vec4 w4[]; };
layout(set = 0, binding = 3, std430) readonly buffer Bias { float bias[]; };
layout(set = 0, binding = 4, std430) writeonly buffer Winner { uint winner[]; };
layout(set = 0, binding = 5, std430) readonly buffer Symbol { uint symbol[]; };

PUSH(6, uint inputs; uint outputs; uint span; uint first; uint times; uint time;)

#define ARGMAX
#include "tropical/layer.glsl"

void layer_end(vec4 v, uvec4 arg, uint row, uint col) {
    if (row >= push.count) return;
    uint from = push.off[3] + col;
    if (EMIT != 0u) from += symbol[push.off[5] + row * push.times + push.time] * push.outputs;
    for (uint i = 0u; i < 4u && col + i < push.outputs; i++) {
        float b = bias[from + i];
        precise float sum = v[i] + b;
        bool join = EMIT == 0u && b > v[i];
        y[push.off[0] + row * push.outputs + col + i] = EMIT != 0u ? sum : join ? b : v[i];
        winner[push.off[4] + row * push.span + push.first + col + i] = join ? push.inputs : arg[i];
    }
}

void main() { layer(); }
