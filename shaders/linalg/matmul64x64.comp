#version 460
#extension GL_EXT_control_flow_attributes : require
// C = A B in float32 by tiles of 64 x 64 x 16: 256 invocations with 4 x 4 outputs each,
// for products too small to fill a device with larger tiles and for devices with less
// than 24 KiB of shared memory. 8 KiB of shared memory; the next tile is loaded to
// registers before the arithmetic of this one.
// Bindings, push words and constants: linalg/matmul.glsl.
//
// Grid:  ceil(count / 64) * ceil(n / 64) work-groups.
// Cost:  2 kn flop per output; A is read n/64 times, B count/64 times.
#include "common/index.glsl"
#include "common/push.glsl"
#include "linalg/matmul.glsl"

const uint EDGE = 64u;
const uint LINE = EDGE / 4u; // vec4 in one k of a shared tile

// k outermost; the row blocks of A of 8 (2 vec4) are exchanged by k / 4, so that the
// transposing stores hit different banks.
shared vec4 tile_a[DEPTH * LINE];
shared vec4 tile_b[DEPTH * LINE];

void main() {
    uvec2 tile = tile_position(EDGE, EDGE);
    uint row0 = tile.x * EDGE, col0 = tile.y * LINE; // col0 in vec4
    if (row0 >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;
    uint n4 = push.n / 4u;

    uint a_row = t >> 2, a_k = (t & 3u) * 4u;
    uint b_k = t / LINE, b_col = t % LINE;
    uint pa = (push.off[0] + min(row0 + a_row, push.count - 1u) * push.lda + push.k0) / 4u;
    uint pb = push.off[1] / 4u + min(col0 + b_col, n4 - 1u);

    uint tm = t >> 4, tn = t & 15u;
    uint column = col0 + tn;
    uint pc = push.off[2] / 4u + column;

    vec4 c[4];
    [[unroll]] for (uint r = 0u; r < 4u; r++) {
        uint row = row0 + tm * 4u + r;
        c[r] = vec4(0.0);
        if (push.k0 > 0u && row < push.count && column < n4) c[r] = vc[pc + row * n4];
    }

    vec4 next_a = load_a(pa, a_k), next_b = load_b(pb, b_k);
    for (uint left = (push.kn + DEPTH - 1u) / DEPTH;;) {
        uint at = a_k * LINE + ((a_row >> 2) ^ (a_k >> 1));
        uint lane = a_row & 3u;
        tile_a[at][lane] = next_a.x;
        tile_a[at + LINE][lane] = next_a.y;
        tile_a[at + 2u * LINE][lane] = next_a.z;
        tile_a[at + 3u * LINE][lane] = next_a.w;
        tile_b[t] = next_b;
        barrier();

        left--;
        if (left > 0u) {
            pa += DEPTH / 4u;
            pb += DEPTH * n4;
            next_a = load_a(pa, a_k);
            next_b = load_b(pb, b_k);
        }

        [[unroll]] for (uint k = 0u; k < DEPTH; k++) {
            vec4 x = tile_a[k * LINE + (tm ^ ((k >> 2) << 1))];
            vec4 y = tile_b[k * LINE + tn];
            c[0] += x.x * y;
            c[1] += x.y * y;
            c[2] += x.z * y;
            c[3] += x.w * y;
        }
        if (left == 0u) break;
        barrier();
    }

    [[unroll]] for (uint r = 0u; r < 4u; r++) {
        uint row = row0 + tm * 4u + r;
        if (row < push.count && column < n4) vc[pc + row * n4] = c[r];
    }
}
