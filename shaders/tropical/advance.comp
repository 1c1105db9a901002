#version 460
// A step of a Viterbi decoding: d_t(j) = max_i (d_t-1(i) + log A_ij) + log E_j(o_t). Which i
// won is found on the way back, of the states on the path alone (tropical/backtrack).
// Bindings: 0 d (float), `span` per sequence: states at `from` are read, at `to` written
//           1 log A (float, read), `outputs` = `inputs` = states, rows by i
//           2 log E (float, read), rows of states, one per symbol
//           3 symbol (uint, read), `times` per sequence
// Push:     header, inputs, outputs, span, from, to, times, time.
// Grid:     a tile of 128 sequences by 128 states per work-group; a unit is a sequence.
// Work: 2 flop a pair (one add, one maximum), 128*128*16 pairs and 16 KiB read a step.

#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) buffer D1 { float x1[]; };
layout(set = 0, binding = 0, std430) buffer D4 { vec4 x4[]; };
layout(set = 0, binding = 1, std430) readonly buffer W1 { float w1[]; };
layout(set = 0, binding = 1, std430) readonly buffer W4 { vec4 w4[]; };
layout(set = 0, binding = 2, std430) readonly buffer Emission { float emission[]; };
layout(set = 0, binding = 3, std430) readonly buffer Symbol { uint symbol[]; };

PUSH(4, uint inputs; uint outputs; uint span; uint from; uint to; uint times; uint time;)

#define VEC 0u // multiples of 4 are for tropical/advance64
#define X_BASE (push.off[0] + push.from)
#define X_STRIDE push.span
#define W_BASE push.off[1]
#include "tropical/layer.glsl"

void layer_end(vec4 v, uint row, uint col) {
    if (row >= push.count || col >= push.outputs) return;
    uint e = push.off[2] + symbol[push.off[3] + row * push.times + push.time] * push.outputs + col;
    uint at = push.off[0] + row * push.span + push.to + col;
    for (uint i = 0u; i < 4u && col + i < push.outputs; i++) {
        precise float sum = v[i] + emission[e + i];
        x1[at + i] = sum;
    }
}

void main() { layer(); }
