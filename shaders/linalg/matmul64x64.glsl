// C = A B by tiles of 64 x 64 x 16: 256 invocations with 4 x 4 outputs each, for products
// too small to fill a device with larger tiles, for devices with less than 24 KiB of shared
// memory and for element types without a kernel of their own. 8 KiB of shared memory; the
// next tile is loaded to registers before the arithmetic of this one.
// Bindings, push words, constants and types: linalg/matmul.glsl.
//
// Grid:  ceil(rows / 64) * ceil(n / 64) work-groups for count rows or for each product.
// Cost:  2 kn operations per output; A is read n/64 times, B rows/64 times.
#include "common/index.glsl"
#include "common/push.glsl"
#include "linalg/matmul.glsl"

const uint EDGE = 64u;
const uint LINE = EDGE / 4u; // quads in one k of a shared tile

// k outermost. The row blocks of what is transposed are exchanged in pairs of quads by k / 4,
// so that the stores hit different banks.
shared VEC4 tile_a[DEPTH * LINE];
shared VEC4 tile_b[DEPTH * LINE];

uint swizzle(uint quad, uint k) { return quad ^ ((k >> 2) << 1); }

#define TRANSPOSE(tile, row, k, v) {                         \
    uint at = (k) * LINE + swizzle((row) >> 2, k);           \
    uint lane = (row) & 3u;                                  \
    tile[at][lane] = (v).x;                                  \
    tile[at + LINE][lane] = (v).y;                           \
    tile[at + 2u * LINE][lane] = (v).z;                      \
    tile[at + 3u * LINE][lane] = (v).w;                      \
}

void main() {
    Place p = place(EDGE, EDGE);
    if (p.row >= p.rows) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;
    uint n4 = push.n / 4u, col0 = p.column / 4u;

    uint a_row = t >> 2, a_k = (t & 3u) * 4u;
    uint pa = (p.a + min(p.row + a_row, p.rows - 1u) * push.lda + push.k0) / 4u;
#ifdef TRANSPOSED_B
    uint b_k = a_k, step_b = DEPTH / 4u;
    uint pb = (p.b + min(p.column + a_row, push.n - 1u) * push.lda + push.k0) / 4u;
#else
    uint b_k = t / LINE, step_b = DEPTH * n4;
    uint pb = p.b / 4u + min(col0 + t % LINE, n4 - 1u);
#endif

    uint tm = t >> 4, tn = t & 15u;
    uint column = col0 + tn;
    uint pc = p.c / 4u + column;

    VEC4 c[4];
    [[unroll]] for (uint r = 0u; r < 4u; r++) {
        uint row = p.row + tm * 4u + r;
        c[r] = VEC4(0);
        if (push.add > 0u && row < p.rows && column < n4) c[r] = vc[pc + row * n4];
    }

    VEC4 next_a = load_a(pa, a_k, p.kn), next_b = load_b(pb, b_k, p.kn);
    for (uint left = max((p.kn + DEPTH - 1u) / DEPTH, 1u), done = 0u;;) {
        TRANSPOSE(tile_a, a_row, a_k, next_a)
#ifdef TRANSPOSED_B
        TRANSPOSE(tile_b, a_row, a_k, next_b)
#else
        tile_b[t] = next_b;
#endif
        barrier();

        left--;
        if (left > 0u) {
            done += DEPTH;
            pa += DEPTH / 4u;
            pb += step_b;
            next_a = load_a(pa, a_k, p.kn - done);
            next_b = load_b(pb, b_k, p.kn - done);
        }

        [[unroll]] for (uint k = 0u; k < DEPTH; k++) {
            VEC4 x = tile_a[k * LINE + swizzle(tm, k)];
#ifdef TRANSPOSED_B
            VEC4 y = tile_b[k * LINE + swizzle(tn, k)];
#else
            VEC4 y = tile_b[k * LINE + tn];
#endif
            c[0] += x.x * y;
            c[1] += x.y * y;
            c[2] += x.z * y;
            c[3] += x.w * y;
        }
        if (left == 0u) break;
        barrier();
    }

    [[unroll]] for (uint r = 0u; r < 4u; r++) {
        uint row = p.row + tm * 4u + r;
        if (row < p.rows && column < n4) vc[pc + row * n4] = c[r];
    }
}
