#version 460
// The slopes of a tropical layer's weights over the launch's rows b:
//   dW_io = sum over b of delta_bo where i won (b, o); row `width` is the bias's.
// A gather in rising b, without atomics: an invocation keeps sixteen i of one o in
// registers. Winners of four rows are read at once, then the slopes of those that count: the
// loop waits for memory twice in four rows. A unit is a row b; a device's later launches
// add to what its first wrote.
// Bindings: 0 dW (float), width + 1 rows of `width`
//           1 winner (uint, read), 2 delta (float, read), `width` per unit
// Push:     header, width, start (the share's first row, low word).
// Grid:     64 o by 64 i per work-group of 256.
// Cost:     1 comparison per (b, i, o) nominal; 8 bytes per (b, o), from cache.

#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) restrict buffer DW { float dw[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Winner { uint winner[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Delta { float delta[]; };

PUSH(3, uint width; uint start;)

const uint SUMS = 16u, AHEAD = 4u;

void main() {
    uint across = (push.width + 63u) / 64u, group = group_index();
    uint o = group % across * 64u + (gl_LocalInvocationIndex & 63u);
    uint i0 = group / across * 64u + gl_LocalInvocationIndex / 64u * SUMS;
    if (o >= push.width || i0 > push.width) return;
    precise float sum[SUMS];
    [[unroll]] for (uint r = 0u; r < SUMS; r++) sum[r] = 0.0;
    for (uint b = 0u; b < push.count; b += AHEAD) {
        uint i[AHEAD];
        float d[AHEAD];
        [[unroll]] for (uint e = 0u; e < AHEAD; e++)
            i[e] = b + e < push.count ? winner[push.off[1] + (b + e) * push.width + o] - i0 : SUMS;
        [[unroll]] for (uint e = 0u; e < AHEAD; e++)
            d[e] = i[e] < SUMS ? delta[push.off[2] + (b + e) * push.width + o] : 0.0;
        [[unroll]] for (uint e = 0u; e < AHEAD; e++) {
            if (i[e] < SUMS) {
                [[unroll]] for (uint r = 0u; r < SUMS; r++) sum[r] = sum[r] + (i[e] == r ? d[e] : 0.0);
            }
        }
    }
    bool more = push.first_lo != push.start;
    [[unroll]] for (uint r = 0u; r < SUMS; r++) {
        uint at = push.off[0] + (i0 + r) * push.width + o;
        if (i0 + r <= push.width) {
            precise float total = sum[r] + (more ? dw[at] : 0.0);
            dw[at] = total;
        }
    }
}
