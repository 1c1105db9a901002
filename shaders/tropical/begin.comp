#version 460
// The first step of a Viterbi decoding: d_0(j) = log start_j + log E_j(o_0).
// Bindings: 0 d (float, written), `states` for each of `times` per sequence, of which the first
//           1 start (float, read), `states`
//           2 emission (float, read), `states` per symbol
//           3 symbol (uint, read), `times` per sequence
// Push:     header, states, times.
// Grid:     one state of one sequence per invocation; a unit is a sequence.
// Cost:     1 flop and 12 bytes per invocation.

#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) writeonly restrict buffer D { float d[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Start { float start[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Emission { float emission[]; };
layout(set = 0, binding = 3, std430) readonly restrict buffer Symbol { uint symbol[]; };

PUSH(4, uint states; uint times;)

void main() {
    uint i = invocation_index(), unit = i / push.states, j = i - unit * push.states;
    if (unit >= push.count) return;
    uint s = symbol[push.off[3] + unit * push.times];
    precise float sum = start[push.off[1] + j] + emission[push.off[2] + s * push.states + j];
    d[push.off[0] + unit * push.times * push.states + j] = sum;
}
