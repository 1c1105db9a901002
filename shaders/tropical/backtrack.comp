#version 460
// The end of a Viterbi decoding: the best last state of each sequence, the lowest on ties,
// its score, and the path that leads there by the back-pointers.
// Bindings: 0 path (uint, written), `times` per sequence
//           1 score (float, written), one per sequence
//           2 last (float, read), the scores of `states` last states per sequence
//           3 back (uint, read), `times` rows of `states` per sequence; row 0 is unused
// Push:     header, states, times.
// Grid:     one sequence, a unit, per invocation.
// Cost:     states comparisons and times dependent loads per unit.

#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) writeonly restrict buffer Path { uint path[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Score { float score[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Last { float last[]; };
layout(set = 0, binding = 3, std430) readonly restrict buffer Back { uint back[]; };

PUSH(4, uint states; uint times;)

void main() {
    uint unit = invocation_index();
    if (unit >= push.count) return;
    uint from = push.off[2] + unit * push.states, state = 0u;
    float best = last[from];
    for (uint j = 1u; j < push.states; j++) {
        float s = last[from + j];
        if (s > best) {
            best = s;
            state = j;
        }
    }
    score[push.off[1] + unit] = best;
    uint to = push.off[0] + unit * push.times, links = push.off[3] + unit * push.times * push.states;
    for (uint t = push.times - 1u; t > 0u; t--) {
        path[to + t] = state;
        state = back[links + t * push.states + state];
    }
    path[to] = state;
}
