#version 460
#extension GL_EXT_control_flow_attributes : require
// C = A B in float32 by tiles of 128 x 128 x 16: 256 invocations with 8 x 8 outputs each
// as 2 x 2 blocks of 4 x 4. One set of shared buffers (16 KiB); the next tile is loaded to
// registers before the arithmetic of this one. Bindings and push: linalg/matmul.glsl.
//
// Grid:  ceil(count / 128) * ceil(n / 128) work-groups; any count and n are right.
// Cost:  2 kn flop per output; A and B are read n/128 and count/128 times.
#include "common/index.glsl"
#include "common/push.glsl"
#include "linalg/matmul.glsl"

const uint EDGE = 128u;
const uint LINE = EDGE / 4u; // vec4 in one k of a shared tile

// A is stored with k outermost. Where bit 2 of k is set, rows are exchanged in
// blocks of 16 (4 vec4), so that the transposing stores hit 32 different banks.
shared vec4 tile_a[DEPTH * LINE];
shared vec4 tile_b[DEPTH * LINE];

void store_a(uint k, uint row, vec4 v) {
    uint at = k * LINE + ((row >> 2) ^ (k & 4u)); // k is a multiple of 4: k & 4 is its bit 2
    uint lane = row & 3u;
    tile_a[at][lane] = v.x;
    tile_a[at + LINE][lane] = v.y;
    tile_a[at + 2u * LINE][lane] = v.z;
    tile_a[at + 3u * LINE][lane] = v.w;
}

#define ROW(r, s) { lo[r] += (s) * b_lo; hi[r] += (s) * b_hi; }

void main() {
    uvec2 tile = tile_position(EDGE);
    uint row0 = tile.x * EDGE, col0 = tile.y * EDGE;
    if (row0 >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;

    // Loads: A by pairs of invocations, 32 bytes of a row; B by 32, one row. Positions
    // beyond the matrix are moved to its last row or column and never stored.
    uint a_row = t >> 1, a_k = (t & 1u) * 4u;
    uint b_k = t >> 5, b_col = t & 31u;
    uint pa = (push.off[0] + min(row0 + a_row, push.count - 1u) * push.lda + push.k0 + a_k) / 4u;
    uint n4 = push.n / 4u;
    uint pb = push.off[1] / 4u + min(col0 / 4u + b_col, n4 - 1u);

    // Outputs: a subgroup of 32 covers 4 x 8 invocations.
    uint warp = t >> 5, lane = t & 31u;
    uint tm = (warp >> 1) * 4u + (lane >> 3);
    uint tn = (warp & 1u) * 8u + (lane & 7u);
    uint left = col0 / 4u + tn, right = left + 16u;
    uint pc = push.off[2] / 4u;

    vec4 lo[8], hi[8]; // the left and right four columns of the eight rows
    [[unroll]] for (uint r = 0u; r < 8u; r++) {
        lo[r] = vec4(0.0);
        hi[r] = vec4(0.0);
        uint row = row0 + tm * 4u + (r & 3u) + (r >> 2) * 64u;
        if (push.k0 > 0u && row < push.count) {
            if (left < n4) lo[r] = vc[pc + row * n4 + left];
            if (right < n4) hi[r] = vc[pc + row * n4 + right];
        }
    }

    vec4 a0, a1, b0, b1;
    if (RAGGED_K == 0u) {
        a0 = va[pa];
        a1 = va[pa + 2u];
        b0 = vb[pb + b_k * n4];
        b1 = vb[pb + (b_k + 8u) * n4];
    } else {
        uint last_a = (push.kn - 1u) / 4u, last_b = push.kn - 1u;
        uint base = pa - a_k / 4u;
        a0 = mask_k(va[base + min(a_k / 4u, last_a)], a_k);
        a1 = mask_k(va[base + min(a_k / 4u + 2u, last_a)], a_k + 8u);
        b0 = vb[pb + min(b_k, last_b) * n4];
        b1 = vb[pb + min(b_k + 8u, last_b) * n4];
    }

    for (uint k = 0u; k < push.kn; k += DEPTH) {
        store_a(a_k, a_row, a0);
        store_a(a_k + 8u, a_row, a1);
        tile_b[b_k * LINE + b_col] = b0;
        tile_b[(b_k + 8u) * LINE + b_col] = b1;
        barrier();

        uint next = k + DEPTH;
        if (next < push.kn) {
            if (RAGGED_K == 0u) {
                a0 = va[pa + next / 4u];
                a1 = va[pa + next / 4u + 2u];
                b0 = vb[pb + (next + b_k) * n4];
                b1 = vb[pb + (next + b_k + 8u) * n4];
            } else {
                uint last_a = (push.kn - 1u) / 4u, last_b = push.kn - 1u;
                uint base = pa - a_k / 4u;
                a0 = mask_k(va[base + min((next + a_k) / 4u, last_a)], next + a_k);
                a1 = mask_k(va[base + min((next + a_k) / 4u + 2u, last_a)], next + a_k + 8u);
                b0 = vb[pb + min(next + b_k, last_b) * n4];
                b1 = vb[pb + min(next + b_k + 8u, last_b) * n4];
            }
        }

        [[unroll]] for (uint j = 0u; j < DEPTH; j++) {
            uint at = j * LINE + (tm ^ (j & 4u));
            vec4 a_up = tile_a[at], a_down = tile_a[at + 16u];
            vec4 b_lo = tile_b[j * LINE + tn], b_hi = tile_b[j * LINE + tn + 16u];
            ROW(0, a_up.x) ROW(1, a_up.y) ROW(2, a_up.z) ROW(3, a_up.w)
            ROW(4, a_down.x) ROW(5, a_down.y) ROW(6, a_down.z) ROW(7, a_down.w)
        }
        barrier();
    }

    [[unroll]] for (uint r = 0u; r < 8u; r++) {
        uint row = row0 + tm * 4u + (r & 3u) + (r >> 2) * 64u;
        if (row < push.count) {
            if (left < n4) vc[pc + row * n4 + left] = lo[r];
            if (right < n4) vc[pc + row * n4 + right] = hi[r];
        }
    }
}
