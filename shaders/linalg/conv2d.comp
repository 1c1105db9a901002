#version 460
// flags: -O0
// Valid cross-correlation of one channel with an F x F filter: y[r][c] is the sum over
// i, j of k[i][j] x[r+i][c+j], rows i in order and inside a row columns j in order, each
// term by one fused multiply-add.
//
// Bindings: 0 y (vec4, written), a unit is a row of `out_pitch` floats; 1 x (vec4, read), a
//           row of `in_pitch` floats and F-1 more rows behind the last unit; 2 k (float,
//           read), F*F.
// Push:     header, in_pitch, out_pitch (multiples of 4, in_pitch >= out_pitch + 8 + F - 3),
//           strip (rows of an invocation), across (work-groups side by side).
// Constants: 0 local size; 1 F, 1 to 11.
// Grid:     an invocation makes a strip of 4 columns: it goes down the rows of x, and each
//           row adds to the F rows of y that it is part of, held in registers with the whole
//           filter. So a row of x is loaded once, as F + 3 floats, for 4 F*F multiply-adds,
//           and no shared memory is needed: neighbours share through the L1 cache.
// Cost:     2 F*F operations and 8 bytes per output; a strip begins with F-1 rows that make
//           no output.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(constant_id = 1) const uint F = 9u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Y { vec4 y[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { vec4 x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer K { float k[]; };
PUSH(3, uint in_pitch; uint out_pitch; uint strip; uint across;)

const uint MOST = 11u;    // largest F
const uint VECTORS = 4u;  // of a row: at most 16 floats, F + 3 of which are used

void main() {
    uint group = group_index();
    uint column = (group % push.across) * gl_WorkGroupSize.x + gl_LocalInvocationID.x; // in vec4
    uint first = group / push.across * push.strip;
    if (first >= push.count || column >= push.out_pitch / 4u) return;
    uint rows = min(push.strip, push.count - first) + F - 1u; // of x

    float taps[MOST * MOST];
    [[unroll]] for (uint i = 0u; i < F * F; i++) taps[i] = k[push.off[2] + i];
    vec4 sums[MOST]; // of the rows of y begun, the oldest first
    [[unroll]] for (uint j = 0u; j < F; j++) sums[j] = vec4(0.0);

    const uint used = (F + 6u) / 4u; // vec4 of a row
    uint step = push.in_pitch / 4u;
    uint at = push.off[1] / 4u + first * step + column;
    uint to = push.off[0] / 4u + first * (push.out_pitch / 4u) + column;
    vec4 next[VECTORS];
    [[unroll]] for (uint v = 0u; v < used; v++) next[v] = x[at + v];
    for (uint r = 0u; r < rows; r++) {
        float row[4u * VECTORS];
        [[unroll]] for (uint v = 0u; v < used; v++) {
            row[4u * v] = next[v].x;
            row[4u * v + 1u] = next[v].y;
            row[4u * v + 2u] = next[v].z;
            row[4u * v + 3u] = next[v].w;
        }
        at += step;
        if (r + 1u < rows) { // ahead of its use
            [[unroll]] for (uint v = 0u; v < used; v++) next[v] = x[at + v];
        }
        [[unroll]] for (uint j = 0u; j < F; j++) {
            uint i = F - 1u - j; // the row of the filter that meets this row of x
            vec4 s = sums[j];
            [[unroll]] for (uint c = 0u; c < F; c++) {
                float t = taps[i * F + c];
                s.x = fma(row[c], t, s.x);
                s.y = fma(row[c + 1u], t, s.y);
                s.z = fma(row[c + 2u], t, s.z);
                s.w = fma(row[c + 3u], t, s.w);
            }
            if (j > 0u) sums[j - 1u] = s;
            else if (r >= F - 1u) {
                y[to] = s;
                to += push.out_pitch / 4u;
            }
        }
        sums[F - 1u] = vec4(0.0);
    }
}
