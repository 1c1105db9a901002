// The tropical matrix product C_ij = max_k (A_ik + B_kj), or the minimum with MIN: tiles
// of 128x128 by work-groups of 256 (tile.glsl), which go through bands of BAND row tiles so
// that their operands stay in cache. The shader defines LAYOUT:
//   0 rows    a unit is a row of A and C; one block of k at a time
//   1 k       a unit is a k: a row of B and a row of A's transpose; C is the extreme over
//             the launch's k, joined to what the device's earlier launches left
//   2 blocks  a unit is a square of `edge` rows and columns of C, stored by itself. Squares
//             come in Z-order inside bands of `squares` by `squares`, so that runs of them
//             are compact: squares, then halves, then quarters

layout(local_size_x = 256, local_size_x_id = 0) in; // written for 256
layout(constant_id = 1) const uint VEC = 0u;
layout(constant_id = 2) const uint MIN = 0u;
layout(constant_id = 3) const uint BAND = 8u;
layout(constant_id = 4) const uint UNROLLED = 16u;
#define UNROLL UNROLLED

layout(set = 0, binding = 0, std430) readonly buffer A1 { float a1[]; };
layout(set = 0, binding = 0, std430) readonly buffer A4 { vec4 a4[]; };
layout(set = 0, binding = 1, std430) readonly buffer B1 { float b1[]; };
layout(set = 0, binding = 1, std430) readonly buffer B4 { vec4 b4[]; };
layout(set = 0, binding = 2, std430) buffer C1 { float c1[]; };
layout(set = 0, binding = 2, std430) buffer C4 { vec4 c4[]; };

#if LAYOUT == 0
PUSH(3, uint stride; uint k0; uint depth; uint cols; uint keep;)
#elif LAYOUT == 1
PUSH(3, uint stride; uint cols; uint rows; uint row0; uint start;)
#else
PUSH(3, uint stride; uint k0; uint depth; uint cols; uint rows; uint edge; uint squares;)
#endif

#if LAYOUT == 1
#define DEPTH push.count
#else
#define DEPTH push.depth
#endif
#if LAYOUT == 0
#define ROWS push.count
#else
#define ROWS push.rows
#endif
#define A_F1 a1
#define A_F4 a4
#if LAYOUT == 1
#define A_NEAR false
#define A_BASE (push.off[0] + push.row0)
#else
#define A_NEAR true
#define A_BASE (push.off[0] + push.k0)
#endif
#define A_STRIDE push.stride
#define A_COUNT ROWS
#define B_F1 b1
#define B_F4 b4
#define B_NEAR false
#define B_BASE push.off[1]
#define B_STRIDE push.cols
#define B_COUNT push.cols
#include "tropical/tile.glsl"

// Where C_ij goes, for i and j from lo to below hi.
struct Place {
    uint corner, pitch;
    uvec2 lo, hi;
    bool keep;
};

vec4 joined(vec4 x, vec4 y) { return MIN != 0u ? min(x, y) : max(x, y); }

// Four neighbours of a row; elements beyond the matrix are the semiring's zero.
void put(Place to, uint row, uint col, vec4 v) {
    if (row >= to.hi.x || col >= to.hi.y) return;
    uint at = to.corner + (row - to.lo.x) * to.pitch + (col - to.lo.y);
    if (MIN != 0u) v = -v;
#if LAYOUT == 2
    bvec4 inside = lessThan(uvec4(col) + uvec4(0u, 1u, 2u, 3u), uvec4(row < push.rows ? push.cols : 0u));
    v = mix(vec4(MIN != 0u ? -none() : none()), v, inside);
#endif
    if (VEC != 0u) {
        if (to.keep) v = joined(v, c4[at / 4u]);
        c4[at / 4u] = v;
        return;
    }
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        if (col + i < to.hi.y) c1[at + i] = to.keep ? joined(vec4(v[i]), vec4(c1[at + i])).x : v[i];
    }
}

void product(Place to, uint row0, uint col0) {
    vec4 acc[16];
    [[unroll]] for (uint i = 0u; i < 16u; i++) acc[i] = vec4(none());
    tile(row0, col0, acc);
    uint row = row0 + 4u * (gl_LocalInvocationIndex >> 4), col = col0 + 4u * (gl_LocalInvocationIndex & 15u);
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        put(to, row + i, col, acc[2u * i]);
        put(to, row + i, col + 64u, acc[2u * i + 1u]);
        put(to, row + i + 64u, col, acc[2u * i + 8u]);
        put(to, row + i + 64u, col + 64u, acc[2u * i + 9u]);
    }
}

// Every other bit of z, from the lowest.
uint evens(uint z) {
    uint x = 0u;
    for (uint b = 0u; b < 16u; b++) x |= (z >> b) & (1u << b);
    return x;
}

// Surplus groups (the grid is folded to two dimensions) leave as a whole.
void main() {
    uint group = group_index();
    Place to;
    to.corner = push.off[2];
#if LAYOUT == 2
    uint tiles = (push.edge + TILE - 1u) / TILE, each = tiles * tiles;
    uint unit = group / each, in_unit = group - unit * each;
    if (unit >= push.count) return;
    uint square = push.first_lo + unit, per_band = push.squares * push.squares;
    uint band = square / per_band, z = square - band * per_band;
    to.keep = false;
    to.pitch = push.edge;
    to.corner += unit * push.edge * push.edge;
    to.lo = uvec2((band * push.squares + evens(z >> 1)) * push.edge, evens(z) * push.edge);
    to.hi = to.lo + push.edge;
    product(to, to.lo.x + in_unit / tiles * TILE, to.lo.y + in_unit % tiles * TILE);
#else
    uint across = (push.cols + TILE - 1u) / TILE, down = (ROWS + TILE - 1u) / TILE;
    uint band = group / (BAND * across);
    uint in_band = group - band * BAND * across;
    uint rows = band * BAND < down ? min(BAND, down - band * BAND) : 0u;
#if LAYOUT == 1
    to.keep = push.first_lo != push.start;
#else
    to.keep = push.keep != 0u;
#endif
    to.pitch = push.cols;
    to.lo = uvec2(0u);
    to.hi = uvec2(ROWS, push.cols);
    if (group < across * down) product(to, (band * BAND + in_band % rows) * TILE, in_band / rows * TILE);
#endif
}
