#version 460
#extension GL_EXT_control_flow_attributes : require
// Sums of outer products by slabs of 256 columns: every 32 invocations make one tile of
// 64 x 64, 8 x 16 outputs each in 2 x 4 blocks of 4 x 4, and a work-group eight tiles, from
// two slabs of 16 rows in shared memory (32 KiB). The next rows are loaded to registers
// before the arithmetic of these.
// Bindings and push words: infogeo/gram.glsl; d is a multiple of 256.
// Constant: 1 OFF. 0: blocks of 256 x 256 on the diagonal. Only their 10 tiles in the lower
//           triangle are made, in a list over blocks and chunks of which a work-group takes
//           eight: they lie in two neighbouring blocks, a slab for each. 1: blocks below the
//           diagonal, half a block a work-group: one slab holds the rows, one the columns.
// Grid:     OFF 0: ceil(10 d/256 count / 8); 1: (d/256) (d/256 - 1) a chunk.
// Cost:     2 * 64^2 flop per row and tile.
// The optimiser reorders the arithmetic, to its disadvantage as in linalg/matmul128x256:
// flags: -O0
#include "common/index.glsl"
#include "common/push.glsl"
#include "infogeo/gram.glsl"

layout(constant_id = 1) const uint OFF = 0u;

const uint LINE = 64u; // vec4 in a row of a slab
const uint SLAB = DEPTH * LINE;
shared vec4 slabs[2u * SLAB];

#define ROW(r, a) { c[r][0] += (a) * b0; c[r][1] += (a) * b1; c[r][2] += (a) * b2; c[r][3] += (a) * b3; }

void main() {
    uint t = gl_LocalInvocationID.x;
    uint warp = t >> 5, lane = t & 31u;
    uint blocks = push.d / 256u;
    // Chunk and block of columns of each slab; this tile's chunk, slabs, row and column.
    uint chunk0, chunk1, block0, block1, chunk, row_slab, column_slab, i, j;
    bool second = true, mine = true;
    if (OFF == 0u) {
        uint first = group_index() * 8u, pairs = push.count * blocks;
        if (first >= pairs * 10u) return; // the whole work-group
        uint pair = first / 10u, after = min(pair + 1u, pairs - 1u);
        chunk0 = pair / blocks;
        block0 = pair % blocks;
        chunk1 = after / blocks;
        block1 = after % blocks;
        mine = first + warp < pairs * 10u;
        uint task = min(first + warp, pairs * 10u - 1u);
        row_slab = task / 10u - pair;
        column_slab = row_slab;
        second = min(first + 7u, pairs * 10u - 1u) / 10u != pair;
        chunk = row_slab == 0u ? chunk0 : chunk1;
        uint number = task % 10u;
        i = number < 1u ? 0u : number < 3u ? 1u : number < 6u ? 2u : 3u;
        j = number - i * (i + 1u) / 2u;
    } else {
        uint halves = blocks * (blocks - 1u);
        chunk = group_index() / halves;
        if (chunk >= push.count) return; // the whole work-group
        uint number = group_index() % halves;
        uint above = triangle_row(number / 2u); // blocks below the diagonal, row by row
        block0 = above + 1u;
        block1 = number / 2u - triangle(above);
        chunk0 = chunk;
        chunk1 = chunk;
        row_slab = 0u;
        column_slab = 1u;
        i = (number & 1u) * 2u + (warp >> 2);
        j = warp & 3u;
    }

    // Loads: 64 invocations a row, every fourth row of a slab.
    uint d4 = push.d / 4u;
    uint row = t / LINE;
    uint from0 = push.off[1] / 4u + (chunk0 * push.rows + row) * d4 + block0 * LINE + t % LINE;
    uint from1 = push.off[1] / 4u + (chunk1 * push.rows + row) * d4 + block1 * LINE + t % LINE;
    uint scale0 = push.off[2] + chunk0 * push.rows + row;
    uint scale1 = push.off[2] + chunk1 * push.rows + row;
    vec4 next0[4], next1[4];
    float weight0[4], weight1[4];
    [[unroll]] for (uint q = 0u; q < 4u; q++) {
        next0[q] = x[from0 + 4u * q * d4];
        weight0[q] = s[scale0 + 4u * q];
        next1[q] = vec4(0.0);
        weight1[q] = 0.0;
        if (second) {
            next1[q] = x[from1 + 4u * q * d4];
            weight1[q] = s[scale1 + 4u * q];
        }
    }

    uint tm = lane >> 2, tn = lane & 3u;
    uint a_at = row_slab * SLAB + i * 16u + tm, b_at = column_slab * SLAB + j * 16u + tn;
    vec4 c[8][4];
    [[unroll]] for (uint r = 0u; r < 8u; r++) {
        [[unroll]] for (uint q = 0u; q < 4u; q++) c[r][q] = vec4(0.0);
    }
    for (uint steps = push.rows / DEPTH;;) {
        [[unroll]] for (uint q = 0u; q < 4u; q++) {
            slabs[t + 256u * q] = next0[q] * weight0[q];
            if (second) slabs[SLAB + t + 256u * q] = next1[q] * weight1[q];
        }
        barrier();
        steps--;
        if (steps > 0u) {
            from0 += DEPTH * d4;
            from1 += DEPTH * d4;
            scale0 += DEPTH;
            scale1 += DEPTH;
            [[unroll]] for (uint q = 0u; q < 4u; q++) {
                next0[q] = x[from0 + 4u * q * d4];
                weight0[q] = s[scale0 + 4u * q];
                if (second) {
                    next1[q] = x[from1 + 4u * q * d4];
                    weight1[q] = s[scale1 + 4u * q];
                }
            }
        }
        [[unroll]] for (uint k = 0u; k < DEPTH; k++) {
            uint at = a_at + k * LINE;
            vec4 up = slabs[at], down = slabs[at + 8u];
            at = b_at + k * LINE;
            vec4 b0 = slabs[at], b1 = slabs[at + 4u], b2 = slabs[at + 8u], b3 = slabs[at + 12u];
            ROW(0, up.x) ROW(1, up.y) ROW(2, up.z) ROW(3, up.w)
            ROW(4, down.x) ROW(5, down.y) ROW(6, down.z) ROW(7, down.w)
        }
        if (steps == 0u) break;
        barrier();
    }
    if (!mine) return;
    uint row_block = row_slab == 0u ? block0 : block1, column_block = column_slab == 0u ? block0 : block1;
    uint to = tile_start(chunk, row_block * 4u + i, column_block * 4u + j) + tm * 4u * 16u + tn;
    [[unroll]] for (uint r = 0u; r < 8u; r++) {
        [[unroll]] for (uint q = 0u; q < 4u; q++) partials[to + ((r & 3u) + (r >> 2) * 32u) * 16u + 4u * q] = c[r][q];
    }
}
