// What the tile sizes of linalg/matmul share: bindings, push words, the walk over tiles
// and the loads.
//
// Bindings: 0 A (vec4, read): rows of lda floats, a unit is one row
//           1 B (vec4, read): the rows [k0, k0+kn) of n floats
//           2 C (vec4, read and written): rows of n floats, a unit is one row
// Push:     header; n, lda (both multiples of 4); k0 (a multiple of 16), kn: the part of
//           the inner dimension this launch adds, a multiple of 16. With k0 = 0 C is
//           set, else added to: the terms of an element are added in the order of k
//           however K is cut.
// Constant: 1 RAGGED_K: 1 for the rest of the inner dimension, kn below 16.
// Any count and n are right: positions beyond the matrix are moved to its last row or
// column when loading and are never stored.
layout(constant_id = 1) const uint RAGGED_K = 0u;

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer A { vec4 va[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer B { vec4 vb[]; };
layout(set = 0, binding = 2, std430) restrict buffer C { vec4 vc[]; };
PUSH(3, uint n; uint lda; uint k0; uint kn;)

const uint DEPTH = 16u; // inner dimension of a tile

// The tile (row, column) of this work-group; a row beyond the last marks a surplus
// work-group. Tiles are walked in groups of 8 tile rows, column by column, which keeps
// the panels of A and B that run together small.
uvec2 tile_position(uint height, uint width) {
    uint rows = (push.count + height - 1u) / height;
    uint columns = (push.n + width - 1u) / width;
    uint g = group_index();
    uint first = g / (8u * columns) * 8u;
    if (first >= rows) return uvec2(rows, 0u);
    uint together = min(rows - first, 8u);
    uint within = g % (8u * columns);
    // The last, lower group of tile rows has fewer tiles: the rest is surplus.
    if (within >= together * columns) return uvec2(rows, 0u);
    return uvec2(first + within % together, within / together);
}

// Four elements of A at column k of a tile: `at` is the vec4 of the tile's column 0.
vec4 load_a(uint at, uint k) {
    if (RAGGED_K == 0u) return va[at + k / 4u];
    vec4 v = va[at + min(k, push.kn - 1u) / 4u];
    return mix(vec4(0.0), v, lessThan(uvec4(k) + uvec4(0u, 1u, 2u, 3u), uvec4(push.kn)));
}

// Four elements of B in row k of a tile: `at` is the vec4 of the tile's row 0. Rows
// beyond the end meet zeros of A.
vec4 load_b(uint at, uint k) {
    return vb[at + (RAGGED_K == 0u ? k : min(k, push.kn - 1u)) * (push.n / 4u)];
}
