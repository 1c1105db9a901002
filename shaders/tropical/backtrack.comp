#version 460
// The end of a Viterbi decoding: the best last state of each sequence, the lowest on ties,
// its score, and the path that leads there. The state before is the lowest i of the
// greatest d_t-1(i) + log A_ij, added as tropical/advance did.
// Bindings: 0 path (uint, written), `times` per sequence
//           1 score (float, written), one per sequence
//           2 d (float/vec4, read), `times` rows of `states` per sequence
//           3 log A, transposed (float/vec4, read): rows by j, `states` each
// Push:     header, states, times.
// Constant: 1 VEC: states is a multiple of 4: 16-byte accesses.
// Grid:     LANES invocations per sequence, a unit.
// Cost:     states additions and 4 states bytes per unit and time.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint VEC = 0u;

layout(set = 0, binding = 0, std430) writeonly restrict buffer Path { uint path[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Score { float score[]; };
layout(set = 0, binding = 2, std430) readonly buffer D1 { float d1[]; };
layout(set = 0, binding = 2, std430) readonly buffer D4 { vec4 d4[]; };
layout(set = 0, binding = 3, std430) readonly buffer A1 { float a1[]; };
layout(set = 0, binding = 3, std430) readonly buffer A4 { vec4 a4[]; };

PUSH(4, uint states; uint times;)

const uint LANES = 8u, UNITS = 256u / LANES;

// What the lanes of every sequence found, for even and for odd times.
shared float found[2u * 256u];
shared uint where[2u * 256u];

// An index no state has: it loses every tie.
const uint NOBODY = 0xFFFFFFFFu;

// Takes a state i that weighs s, later than those before of this lane.
void take(inout float best, inout uint state, float s, uint i) {
    if (s > best) {
        best = s;
        state = i;
    }
}

// The best state of the sequence by d and, with `next`, by the way to that state.
void choose(uint unit, uint time, bool last, uint next, out float best, out uint state) {
    uint lane = gl_LocalInvocationIndex % LANES, row = push.off[2] + (unit * push.times + time) * push.states;
    uint column = push.off[3] + next * push.states;
    best = uintBitsToFloat(0xFF800000u);
    state = NOBODY;
    if (VEC != 0u) {
        for (uint i = 4u * lane; i < push.states; i += 4u * LANES) {
            precise vec4 s = d4[(row + i) / 4u];
            if (!last) s += a4[(column + i) / 4u];
            [[unroll]] for (uint e = 0u; e < 4u; e++) take(best, state, s[e], i + e);
        }
    } else {
        for (uint i = lane; i < push.states; i += LANES) {
            precise float s = d1[row + i];
            if (!last) s += a1[column + i];
            take(best, state, s, i);
        }
    }
    uint half_of = (time & 1u) * 256u;
    found[half_of + gl_LocalInvocationIndex] = best;
    where[half_of + gl_LocalInvocationIndex] = state;
    barrier();
    uint first = half_of + gl_LocalInvocationIndex - lane;
    best = found[first];
    state = where[first];
    [[unroll]] for (uint l = 1u; l < LANES; l++) {
        float s = found[first + l];
        uint i = where[first + l];
        if (s > best || s == best && i < state) {
            best = s;
            state = i;
        }
    }
}

void main() {
    uint u = group_index() * UNITS + gl_LocalInvocationIndex / LANES;
    uint unit = min(u, push.count - 1u); // all go through the barriers
    bool writes = u < push.count && gl_LocalInvocationIndex % LANES == 0u;
    uint state;
    float best, weight;
    choose(unit, push.times - 1u, true, 0u, best, state);
    uint to = push.off[0] + unit * push.times;
    for (uint t = push.times - 1u; t > 0u; t--) {
        if (writes) path[to + t] = state;
        uint before;
        choose(unit, t - 1u, false, state, weight, before);
        state = before;
    }
    if (writes) {
        path[to] = state;
        score[push.off[1] + unit] = best;
    }
}
