#version 460
// A step of a Viterbi decoding as tropical/advance, in tiles of 64x64. The same bits.
// Bindings: 0 d (vec4), `span` per sequence: states at `from` are read, at `to` written
//           1 log A (vec4, read), `outputs` = `inputs` = states, a multiple of 4, rows by i
//           2 log E (vec4, read), rows of states, one per symbol
//           3 symbol (uint, read), `times` per sequence
// Push:     header, inputs, outputs, span, from, to, times, time.
// Grid:     a tile of 64 sequences by 64 states per work-group; a unit is a sequence.
// Work: 2 flop a pair (one add, one maximum), 64*64*16 pairs and 8 KiB read a step.

#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) buffer D4 { vec4 x4[]; };
layout(set = 0, binding = 1, std430) readonly buffer W4 { vec4 w4[]; };
layout(set = 0, binding = 2, std430) readonly buffer Emission { vec4 emission[]; };
layout(set = 0, binding = 3, std430) readonly buffer Symbol { uint symbol[]; };

PUSH(4, uint inputs; uint outputs; uint span; uint from; uint to; uint times; uint time;)

#define X_BASE (push.off[0] + push.from)
#define X_STRIDE push.span
#define W_BASE push.off[1]
#include "tropical/layer64.glsl"

void layer_end(vec4 v, uint row, uint col) {
    uint e = push.off[2] + symbol[push.off[3] + row * push.times + push.time] * push.outputs + col;
    precise vec4 sum = v + emission[e / 4u];
    x4[(push.off[0] + row * push.span + push.to + col) / 4u] = sum;
}

void main() { layer(); }
