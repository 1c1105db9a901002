#version 460
#extension GL_EXT_control_flow_attributes : require
// C = A B in float32 by tiles of 128 x 256 x 16: 256 invocations with 8 x 16 outputs
// each, as 2 x 4 blocks of 4 x 4. One set of shared buffers (24 KiB); the next tile is
// loaded to registers before the arithmetic of this one.
// Bindings, push words and constants: linalg/matmul.glsl.
//
// Grid:  ceil(rows / 128) * ceil(n / 256) work-groups for count rows or for each product.
// Cost:  2 kn flop per output; A is read n/256 times, B rows/128 times.
// The optimiser reorders the arithmetic, which costs 5 % on an H100:
// flags: -O0
#include "common/index.glsl"
#include "common/push.glsl"
#include "linalg/matmul.glsl"

const uint HEIGHT = 128u, WIDTH = 256u;
const uint LINE_A = HEIGHT / 4u, LINE_B = WIDTH / 4u; // vec4 in one k of a shared tile

shared vec4 tile_a[DEPTH * LINE_A]; // k outermost
shared vec4 tile_b[DEPTH * LINE_B];

// Transposes four elements of a row of A. Where bit 2 of k is set, rows are exchanged in
// blocks of 16 (4 vec4), so that the stores of a subgroup hit 32 different banks.
void store_a(uint k, uint row, vec4 v) {
    uint at = k * LINE_A + ((row >> 2) ^ (k & 4u)); // k is a multiple of 4
    uint lane = row & 3u;
    tile_a[at][lane] = v.x;
    tile_a[at + LINE_A][lane] = v.y;
    tile_a[at + 2u * LINE_A][lane] = v.z;
    tile_a[at + 3u * LINE_A][lane] = v.w;
}

// Row r of an invocation's outputs, in two blocks of four rows.
uint output_row(uint first, uint r) { return first + (r & 3u) + (r >> 2) * 64u; }

#define ROW(r, s) { c[r][0] += (s) * b0; c[r][1] += (s) * b1; c[r][2] += (s) * b2; c[r][3] += (s) * b3; }

void main() {
    Place p = place(HEIGHT, WIDTH);
    if (p.row >= p.rows) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;
    uint n4 = push.n / 4u, col0 = p.column / 4u;

    // Loads: A by pairs of invocations, 32 bytes of a row; B by 64, one row.
    uint a_row = t >> 1, a_k = (t & 1u) * 4u;
    uint b_k = t / LINE_B, b_col = t % LINE_B;
    uint pa = (p.a + min(p.row + a_row, p.rows - 1u) * push.lda + push.k0) / 4u;
    uint pb = p.b / 4u + min(col0 + b_col, n4 - 1u);
    uint pc = p.c / 4u;

    // Outputs: a subgroup of 32 covers 4 x 8 invocations.
    uint warp = t >> 5, lane = t & 31u;
    uint tm = (warp >> 1) * 4u + (lane >> 3);
    uint tn = (warp & 1u) * 8u + (lane & 7u);

    vec4 c[8][4];
    [[unroll]] for (uint r = 0u; r < 8u; r++) {
        uint row = output_row(p.row + tm * 4u, r);
        [[unroll]] for (uint j = 0u; j < 4u; j++) {
            uint column = col0 + tn + 16u * j;
            c[r][j] = vec4(0.0);
            if (push.add > 0u && row < p.rows && column < n4) c[r][j] = vc[pc + row * n4 + column];
        }
    }

    vec4 next_a[2], next_b[4];
    [[unroll]] for (uint j = 0u; j < 2u; j++) next_a[j] = load_a(pa, a_k + 8u * j, p.kn);
    [[unroll]] for (uint j = 0u; j < 4u; j++) next_b[j] = load_b(pb, b_k + 4u * j, p.kn);

    for (uint left = max((p.kn + DEPTH - 1u) / DEPTH, 1u), done = 0u;;) {
        store_a(a_k, a_row, next_a[0]);
        store_a(a_k + 8u, a_row, next_a[1]);
        [[unroll]] for (uint j = 0u; j < 4u; j++) tile_b[t + 256u * j] = next_b[j];
        barrier();

        left--;
        if (left > 0u) {
            done += DEPTH;
            pa += DEPTH / 4u;
            pb += DEPTH * n4;
            [[unroll]] for (uint j = 0u; j < 2u; j++) next_a[j] = load_a(pa, a_k + 8u * j, p.kn - done);
            [[unroll]] for (uint j = 0u; j < 4u; j++) next_b[j] = load_b(pb, b_k + 4u * j, p.kn - done);
        }

        [[unroll]] for (uint k = 0u; k < DEPTH; k++) {
            uint at = k * LINE_A + (tm ^ (k & 4u));
            vec4 up = tile_a[at], down = tile_a[at + 16u];
            at = k * LINE_B + tn;
            vec4 b0 = tile_b[at], b1 = tile_b[at + 16u], b2 = tile_b[at + 32u], b3 = tile_b[at + 48u];
            ROW(0, up.x) ROW(1, up.y) ROW(2, up.z) ROW(3, up.w)
            ROW(4, down.x) ROW(5, down.y) ROW(6, down.z) ROW(7, down.w)
        }
        if (left == 0u) break;
        barrier();
    }

    [[unroll]] for (uint r = 0u; r < 8u; r++) {
        uint row = output_row(p.row + tm * 4u, r);
        if (row < p.rows) {
            [[unroll]] for (uint j = 0u; j < 4u; j++) {
                uint column = col0 + tn + 16u * j;
                if (column < n4) vc[pc + row * n4 + column] = c[r][j];
            }
        }
    }
}
