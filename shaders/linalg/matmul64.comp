#version 460
#extension GL_EXT_control_flow_attributes : require
// C = A B in float32 by tiles of 64 x 64 x 16: 256 invocations with 4 x 4 outputs each,
// for products too small to fill a device with tiles of 128. 8 KiB of shared memory.
// Bindings and push: linalg/matmul.glsl.
//
// Grid:  ceil(count / 64) * ceil(n / 64) work-groups; any count and n are right.
// Cost:  2 kn flop per output; A and B are read n/64 and count/64 times.
#include "common/index.glsl"
#include "common/push.glsl"
#include "linalg/matmul.glsl"

const uint EDGE = 64u;
const uint LINE = EDGE / 4u;

// A is stored with k outermost; row blocks of 8 (2 vec4) are exchanged by k / 4, so that
// the transposing stores hit different banks.
shared vec4 tile_a[DEPTH * LINE];
shared vec4 tile_b[DEPTH * LINE];

void main() {
    uvec2 tile = tile_position(EDGE);
    uint row0 = tile.x * EDGE, col0 = tile.y * EDGE;
    if (row0 >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;

    uint a_row = t >> 2, a_k = (t & 3u) * 4u;
    uint b_k = t >> 4, b_col = t & 15u;
    uint pa = (push.off[0] + min(row0 + a_row, push.count - 1u) * push.lda + push.k0) / 4u;
    uint n4 = push.n / 4u;
    uint pb = push.off[1] / 4u + min(col0 / 4u + b_col, n4 - 1u);

    uint tm = t >> 4, tn = t & 15u;
    uint column = col0 / 4u + tn;
    uint pc = push.off[2] / 4u + column;

    vec4 acc[4];
    [[unroll]] for (uint r = 0u; r < 4u; r++) {
        uint row = row0 + tm * 4u + r;
        acc[r] = vec4(0.0);
        if (push.k0 > 0u && row < push.count && column < n4) acc[r] = vc[pc + row * n4];
    }

    for (uint k = 0u; k < push.kn; k += DEPTH) {
        vec4 a, b;
        if (RAGGED_K == 0u) {
            a = va[pa + (k + a_k) / 4u];
            b = vb[pb + (k + b_k) * n4];
        } else {
            a = mask_k(va[pa + min(k + a_k, push.kn - 1u) / 4u], k + a_k);
            b = vb[pb + min(k + b_k, push.kn - 1u) * n4];
        }
        uint at = a_k * LINE + ((a_row >> 2) ^ (a_k >> 1));
        tile_a[at][a_row & 3u] = a.x;
        tile_a[at + LINE][a_row & 3u] = a.y;
        tile_a[at + 2u * LINE][a_row & 3u] = a.z;
        tile_a[at + 3u * LINE][a_row & 3u] = a.w;
        tile_b[b_k * LINE + b_col] = b;
        barrier();
        [[unroll]] for (uint j = 0u; j < DEPTH; j++) {
            vec4 x = tile_a[j * LINE + (tm ^ ((j >> 2) << 1))];
            vec4 y = tile_b[j * LINE + tn];
            acc[0] += x.x * y;
            acc[1] += x.y * y;
            acc[2] += x.z * y;
            acc[3] += x.w * y;
        }
        barrier();
    }

    [[unroll]] for (uint r = 0u; r < 4u; r++) {
        uint row = row0 + tm * 4u + r;
        if (row < push.count && column < n4) vc[pc + row * n4] = acc[r];
    }
}
