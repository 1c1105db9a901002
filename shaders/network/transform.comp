#version 460
// Dense part of a graph convolution: out = relu(z w), by tiles of 128 x 128 outputs, 8 x 8
// an invocation as 2 x 2 blocks of 4 x 4, steps of 16 through shared memory (16 KiB).
//
// Bindings: 0 out (vec4, written), a unit is 128 rows of `width` floats; 1 z (vec4, read),
//           128 rows of `depth` floats a unit; 2 w (vec4, read), depth rows of `width` floats
// Push:     header; depth (a multiple of 4), width (a multiple of 4), across (tiles side by side)
// Grid:     `across` work-groups per unit; the local size is fixed.
// Cost:     2 depth flop per output.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Out { vec4 result[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Z { vec4 z[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer W { vec4 w[]; };
PUSH(3, uint depth; uint width; uint across;)

const uint TILE = 128u, STEP = 16u;
shared float rows[STEP * TILE];    // [k][row]
shared vec4 columns[STEP * TILE / 4u]; // [k][column / 4]

void main() {
    uint u = group_index() / push.across;
    if (u >= push.count) return; // the whole work-group
    uint c0 = group_index() % push.across * TILE;
    uint t = gl_LocalInvocationID.x;
    uint x = t & 15u, y = t >> 4;
    vec4 sums[8][2];
    [[unroll]] for (uint r = 0u; r < 8u; r++) sums[r][0] = sums[r][1] = vec4(0.0);
    for (uint k0 = 0u; k0 < push.depth; k0 += STEP) {
        // Two vec4 of z for an invocation: row t / 2, k in halves of 8; two of w likewise.
        uint row = t >> 1, k = (t & 1u) * 8u;
        [[unroll]] for (uint i = 0u; i < 2u; i++) {
            uint at = k0 + k + 4u * i;
            vec4 v = at < push.depth ? z[(push.off[1] + (u * TILE + row) * push.depth + at) / 4u] : vec4(0.0);
            [[unroll]] for (uint j = 0u; j < 4u; j++) rows[(k + 4u * i + j) * TILE + row] = v[j];
            uint line = (t >> 5) + 8u * i, column = c0 + 4u * (t & 31u);
            bool inside = k0 + line < push.depth && column < push.width;
            columns[line * (TILE / 4u) + (t & 31u)] = inside ? w[(push.off[2] + (k0 + line) * push.width + column) / 4u] : vec4(0.0);
        }
        barrier();
        [[unroll]] for (uint k = 0u; k < STEP; k++) {
            vec4 b0 = columns[k * (TILE / 4u) + x], b1 = columns[k * (TILE / 4u) + 16u + x];
            [[unroll]] for (uint r = 0u; r < 8u; r++) {
                float a = rows[k * TILE + 4u * y + (r & 3u) + (r >> 2) * 64u];
                sums[r][0] = fma(vec4(a), b0, sums[r][0]);
                sums[r][1] = fma(vec4(a), b1, sums[r][1]);
            }
        }
        barrier();
    }
    [[unroll]] for (uint r = 0u; r < 8u; r++) {
        uint row = 4u * y + (r & 3u) + (r >> 2) * 64u;
        [[unroll]] for (uint half_ = 0u; half_ < 2u; half_++) {
            uint column = c0 + 64u * half_ + 4u * x;
            if (column < push.width) result[(push.off[0] + (u * TILE + row) * push.width + column) / 4u] = max(sums[r][half_], vec4(0.0));
        }
    }
}
