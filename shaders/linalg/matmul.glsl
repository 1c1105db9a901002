// What the tile sizes of linalg/matmul share: bindings, push words, which product and
// which tile of it a work-group makes, and the loads.
//
// Bindings: 0 A (read): rows of lda elements
//           1 B (read): rows of n elements; with TRANSPOSED_B its columns, of lda elements
//           2 C (read and written): rows of n elements
// Types:    QUAD holds four elements of A or B as they are stored; VEC4 four elements in
//           arithmetic and in C; UNPACK turns one into the other. ELEMENTS and SUMS turn a
//           number of words into one of elements of A and B, and of C. Without these
//           definitions all are float.
// Push:     header; n, lda (both multiples of 4); k0 (a multiple of 16), kn: the columns
//           of A and the rows of B that this launch adds; add: 1 to add to C, else C is set
//           rows, a_step, b_step, c_step, across: of BATCH 1 and 2, see place()
// Constants: 1 RAGGED_K: 1 where kn is no multiple of 16
//           2 BATCH: what a unit is. 0: a row of A and C. 1: a chunk of the inner
//             dimension with a product of its own. 2: a square of C.
//           7 BAND: rows of tiles that work-groups go through side by side
// With BATCH 0 a launch reads the first kn rows of B that it is given, with BATCH 2 those from k0
// on; with BATCH 1 k0 is 0 and kn the whole inner dimension, which the units share out.
// Any count and n are right: positions beyond the matrix are moved to its last row or
// column when loading and are never stored. However the inner dimension is cut into
// launches, the terms of an element are added in its order.
layout(constant_id = 1) const uint RAGGED_K = 0u;
layout(constant_id = 2) const uint BATCH = 0u;
layout(constant_id = 7) const uint BAND = 8u;

#ifndef QUAD
#define QUAD vec4
#define VEC4 vec4
#define UNPACK(q) (q)
#define ELEMENTS(words) (words)
#endif
#ifndef SUMS
#define SUMS(words) (words)
#endif

#ifndef THREADS
#define THREADS 256
#endif
layout(local_size_x = THREADS) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer A { QUAD va[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer B { QUAD vb[]; };
layout(set = 0, binding = 2, std430) restrict buffer C { VEC4 vc[]; };
PUSH(3, uint n; uint lda; uint k0; uint kn; uint add; uint rows; uint a_step; uint b_step; uint c_step; uint across;)

const uint DEPTH = 16u; // inner dimension of a tile

// One tile of one product: C[row..][column..] of a matrix with `rows` rows.
struct Place {
    uint row, column;
    uint rows; // 0: a surplus work-group
    uint kn;   // terms to add
    uint a, b, c; // where the matrices begin, in elements
};

// The number in Z-order with every second bit dropped.
uint even_bits(uint z) {
    z &= 0x55555555u;
    z = (z | z >> 1) & 0x33333333u;
    z = (z | z >> 2) & 0x0f0f0f0fu;
    return (z | z >> 4) & 0x00ff00ffu;
}

// The tile of this work-group. Tiles are walked in groups of BAND tile rows, column by
// column, which keeps the panels of A and B that run together small.
//
// A unit of BATCH 1 is chunk u: its part of A begins at u a_step, of B at u b_step, its
// product at u c_step; a chunk holds lda terms, those beyond kn are left out. A unit of
// BATCH 2 is a square of rows x n elements at u c_step; squares lie in bands of across x
// across, in Z-order inside a band: the one in row y and column x multiplies A from y a_step
// with B from x b_step.
Place place(uint height, uint width) {
    uint rows = BATCH == 0u ? push.count : push.rows;
    Place p = Place(0u, 0u, rows, push.kn, ELEMENTS(push.off[0]), ELEMENTS(push.off[1]), SUMS(push.off[2]));
    uint high = (rows + height - 1u) / height;
    uint wide = (push.n + width - 1u) / width;
    uint g = group_index();
    if (BATCH != 0u) {
        uint u = g / (high * wide);
        g -= u * high * wide;
        if (u >= push.count) p.rows = 0u;
        p.c += u * push.c_step;
        if (BATCH == 1u) {
            uint before = (push.first_lo + u) * push.lda;
            p.kn = before < push.kn ? min(push.kn - before, push.lda) : 0u;
            p.a += u * push.a_step;
            p.b += u * push.b_step;
        } else {
            uint z = push.first_lo + u, band = z / (push.across * push.across);
            z -= band * push.across * push.across;
            p.a += (band * push.across + even_bits(z >> 1)) * push.a_step;
            p.b += even_bits(z) * push.b_step;
#ifndef TRANSPOSED_B // there k0 counts along a row, as in A
            p.b += push.k0 * push.n;
#endif
        }
    }
    uint first = g / (BAND * wide) * BAND;
    uint together = min(high - min(first, high), BAND);
    uint within = g % (BAND * wide);
    // The last, lower group of tile rows has fewer tiles: the rest is surplus.
    if (within >= together * wide) p.rows = 0u;
    together = max(together, 1u);
    p.row = (first + within % together) * height;
    p.column = within / together * width;
    return p;
}

#ifdef UNPACK
// Four elements of A at column k of a tile of kn columns: `at` is where its column 0 is.
VEC4 load_a(uint at, uint k, uint kn) {
    if (RAGGED_K == 0u) return UNPACK(va[at + k / 4u]);
    VEC4 v = UNPACK(va[at + min(k, kn - 1u) / 4u]);
    return mix(VEC4(0), v, lessThan(uvec4(k) + uvec4(0u, 1u, 2u, 3u), uvec4(kn)));
}

#ifdef TRANSPOSED_B
// Four elements of a column of B, from row k of a tile on.
VEC4 load_b(uint at, uint k, uint kn) { return UNPACK(vb[at + (RAGGED_K == 0u ? k : min(k, kn - 1u)) / 4u]); }
#else
// Four elements of row k of a tile of B: `at` is where its row 0 is. Rows beyond the end
// meet zeros of A.
VEC4 load_b(uint at, uint k, uint kn) { return UNPACK(vb[at + (RAGGED_K == 0u ? k : min(k, kn - 1u)) * (push.n / 4u)]); }
#endif
#endif // UNPACK
