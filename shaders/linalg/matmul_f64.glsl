// C = A B in float64 by square tiles of 16 PER rows and a depth of 8: 256 invocations with
// PER x PER outputs each, as blocks of 2 x 2. One set of shared buffers; the next tile is
// loaded to registers before the arithmetic of this one.
// Bindings, push words, constants and which product: linalg/matmul.glsl. kn is a multiple
// of 8 and n of 2.
//
// Grid:  ceil(rows / EDGE) * ceil(n / EDGE) work-groups for count rows or for each product.
// Cost:  2 kn flop per output; A is read n/EDGE times, B rows/EDGE times.
#define QUAD dvec2
#define VEC4 dvec2
#define ELEMENTS(words) ((words) / 2u)
#define SUMS(words) ((words) / 2u)
#include "common/index.glsl"
#include "common/push.glsl"
#include "linalg/matmul.glsl"

const uint DEEP = 8u;
const uint EDGE = 16u * uint(PER);
const uint LINE = EDGE / 2u;         // pairs in one k of a shared tile
const uint LOADS = EDGE * DEEP / 512u; // pairs of A, and of B, an invocation loads
const uint PAIRS = uint(PER) / 2u;

// k outermost. Rows of A are exchanged in blocks of 4 by k / 2, so that the transposing
// stores of half a subgroup hit different banks.
shared dvec2 tile_a[DEEP * LINE];
shared dvec2 tile_b[DEEP * LINE];

uint swizzle(uint pair, uint k) { return pair ^ (k & 6u); }

// Outputs by their numbers: behind indexes that are known only once loops are unrolled, an
// NVIDIA driver keeps 64 of them in local memory, at a twentieth of the rate.
#if PER == 8
#define ROW(r, s) { c[r][0] += (s) * y0; c[r][1] += (s) * y1; c[r][2] += (s) * y2; c[r][3] += (s) * y3; }
#else
#define ROW(r, s) { c[r][0] += (s) * y0; c[r][1] += (s) * y1; }
#endif
#define TWO_ROWS(i, pair) { dvec2 x = pair; ROW(2 * (i), x.x) ROW(2 * (i) + 1, x.y) }

void main() {
    Place p = place(EDGE, EDGE);
    if (p.row >= p.rows) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;
    uint n2 = push.n / 2u, col0 = p.column / 2u;

    // Loads: A by fours of invocations, 64 bytes of a row; B by rows of the tile.
    uint a_row = t >> 2, a_k = (t & 3u) * 2u;
    uint b_k = t / LINE, b_col = t % LINE;
    uint pa[LOADS], pb = p.b / 2u + min(col0 + b_col, n2 - 1u) + b_k * n2;
    [[unroll]] for (uint j = 0u; j < LOADS; j++)
        pa[j] = (p.a + min(p.row + a_row + 64u * j, p.rows - 1u) * push.lda + push.k0 + a_k) / 2u;

    // Outputs: a subgroup of 32 covers 4 x 8 invocations.
    uint warp = t >> 5, lane = t & 31u;
    // Neighbours share a row or a column, so that an NVIDIA GPU serves reads of 16 bytes by half a
    // subgroup at a time and not by a quarter.
    uint tm = (warp >> 1) * 4u + (lane & 1u) + 2u * (lane >> 4);
    uint tn = (warp & 1u) * 8u + (lane >> 1 & 7u);

    dvec2 c[PER][PAIRS];
    [[unroll]] for (uint r = 0u; r < uint(PER); r++) {
        uint row = p.row + (r >> 1) * 32u + tm * 2u + (r & 1u);
        [[unroll]] for (uint j = 0u; j < PAIRS; j++) {
            uint column = col0 + tn + 16u * j;
            c[r][j] = dvec2(0.0);
            if (push.add > 0u && row < p.rows && column < n2) c[r][j] = vc[p.c / 2u + row * n2 + column];
        }
    }

    dvec2 next_a[LOADS], next_b[LOADS];
    [[unroll]] for (uint j = 0u; j < LOADS; j++) {
        next_a[j] = va[pa[j]];
        next_b[j] = vb[pb + j * (DEEP / LOADS) * n2];
    }
    for (uint left = p.kn / DEEP;;) {
        [[unroll]] for (uint j = 0u; j < LOADS; j++) {
            uint row = a_row + 64u * j;
            uint at = a_k * LINE + swizzle(row >> 1, a_k);
            tile_a[at][row & 1u] = next_a[j].x;
            tile_a[at + LINE][row & 1u] = next_a[j].y;
            tile_b[t + 256u * j] = next_b[j];
        }
        barrier();

        left--;
        if (left > 0u) {
            pb += DEEP * n2;
            [[unroll]] for (uint j = 0u; j < LOADS; j++) {
                pa[j] += DEEP / 2u;
                next_a[j] = va[pa[j]];
                next_b[j] = vb[pb + j * (DEEP / LOADS) * n2];
            }
        }

        [[unroll]] for (uint k = 0u; k < DEEP; k++) {
            uint at = k * LINE + tn;
            dvec2 y0 = tile_b[at], y1 = tile_b[at + 16u];
#if PER == 8
            dvec2 y2 = tile_b[at + 32u], y3 = tile_b[at + 48u];
#endif
            TWO_ROWS(0, tile_a[k * LINE + swizzle(tm, k)])
            TWO_ROWS(1, tile_a[k * LINE + swizzle(tm + 16u, k)])
#if PER == 8
            TWO_ROWS(2, tile_a[k * LINE + swizzle(tm + 32u, k)])
            TWO_ROWS(3, tile_a[k * LINE + swizzle(tm + 48u, k)])
#endif
        }
        if (left == 0u) break;
        barrier();
    }

    [[unroll]] for (uint r = 0u; r < uint(PER); r++) {
        uint row = p.row + (r >> 1) * 32u + tm * 2u + (r & 1u);
        [[unroll]] for (uint j = 0u; j < PAIRS; j++) {
            uint column = col0 + tn + 16u * j;
            if (row < p.rows && column < n2) vc[p.c / 2u + row * n2 + column] = c[r][j];
        }
    }
}
