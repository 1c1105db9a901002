#version 460
// The slope of a tropical layer's input: dx_bi = sum over o of delta_bo where i won (b, o).
// A gather in rising o, without atomics: winner i belongs to invocation i mod 256, which
// keeps its sixteen sums in registers.
// Bindings: 0 dx (float, written), `width` per unit, a row
//           1 winner (uint, read), 2 delta (float, read), `width` per unit
// Push:     header, width (at most 4096).
// Grid:     one row per work-group of 256.
// Cost:     1 flop and 12 bytes per element; each invocation looks at all winners of a row.

#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) writeonly restrict buffer DX { float dx[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Winner { uint winner[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Delta { float delta[]; };

PUSH(3, uint width;)

const uint SUMS = 16u;
shared uint who[256];
shared float what[256];

void main() {
    uint row = group_index();
    if (row >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationIndex, at = row * push.width;
    precise float sum[SUMS];
    [[unroll]] for (uint r = 0u; r < SUMS; r++) sum[r] = 0.0;
    for (uint first = 0u; first < push.width; first += 256u) {
        uint n = min(256u, push.width - first);
        barrier();
        if (t < n) {
            who[t] = winner[push.off[1] + at + first + t];
            what[t] = delta[push.off[2] + at + first + t];
        }
        barrier();
        for (uint o = 0u; o < n; o++) {
            uint i = who[o];
            if ((i & 255u) != t) continue;
            float d = what[o];
            [[unroll]] for (uint r = 0u; r < SUMS; r++) sum[r] = sum[r] + (i / 256u == r ? d : 0.0);
        }
    }
    [[unroll]] for (uint r = 0u; r < SUMS; r++) {
        if (t + 256u * r < push.width) dx[push.off[0] + at + t + 256u * r] = sum[r];
    }
}
