// What the two tile sizes of linalg/matmul share: bindings, push words, the walk over
// tiles and the update of C.
//
// Bindings: 0 A (vec4, read): rows of lda floats, a unit is one row
//           1 B (vec4, read): the rows [k0, k0+kn) of n floats
//           2 C (vec4, read and written): rows of n floats, a unit is one row
// Push:     header; n, lda (both multiples of 4); k0 (a multiple of 16), kn: the part of
//           the inner dimension this launch adds. With k0 = 0 C is set, else added to,
//           so an element's terms are added in the order of k however K is cut.
// Constant: 1 RAGGED_K: 1 when kn may not be a multiple of 16.
layout(constant_id = 1) const uint RAGGED_K = 0u;

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer A { vec4 va[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer B { vec4 vb[]; };
layout(set = 0, binding = 2, std430) restrict buffer C { vec4 vc[]; };
PUSH(3, uint n; uint lda; uint k0; uint kn;)

const uint DEPTH = 16u; // inner dimension of a tile

// The tile (row, column) of this work-group, tiles of `edge` by `edge`; a row beyond
// the last marks a surplus work-group. Tiles are walked in groups of 8 tile rows, column
// by column, which keeps the panels of A and B that run together small.
uvec2 tile_position(uint edge) {
    uint rows = (push.count + edge - 1u) / edge;
    uint columns = (push.n + edge - 1u) / edge;
    uint g = group_index();
    uint first = g / (8u * columns) * 8u;
    if (first >= rows) return uvec2(rows, 0u);
    uint height = min(rows - first, 8u);
    uint within = g % (8u * columns);
    // The last, lower group of tile rows has fewer tiles: the rest is surplus.
    if (within >= height * columns) return uvec2(rows, 0u);
    return uvec2(first + within % height, within / height);
}

// Sets to zero what lies at or beyond the end of the inner dimension.
vec4 mask_k(vec4 v, uint k) {
    return mix(vec4(0.0), v, lessThan(uvec4(k) + uvec4(0u, 1u, 2u, 3u), uvec4(push.kn)));
}
