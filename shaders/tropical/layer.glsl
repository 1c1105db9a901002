// A step from the `inputs` of a row to its `outputs` over the max-plus semiring, for the
// rows of the launch: max_i (x_bi + W_io) by tiles of 128x128 (tile.glsl), then what
// LAYER_END(value, row, col) makes of four neighbours. With ARGMAX, LAYER_END also gets the
// i that won. The shader declares the buffers x1/x4 and w1/w4, at bindings 1 and 2 unless it
// defines X_BASE, X_STRIDE and W_BASE, and the push constants `inputs` and `outputs`.

#ifndef X_BASE
#define X_BASE push.off[1]
#define X_STRIDE push.inputs
#define W_BASE push.off[2]
#endif
#define MIN 0u
#define DEPTH push.inputs
#define A_F1 x1
#define A_F4 x4
#define A_NEAR true
#define A_BASE X_BASE
#define A_STRIDE X_STRIDE
#define A_COUNT push.count
#define B_F1 w1
#define B_F4 w4
#define B_NEAR false
#define B_BASE W_BASE
#define B_STRIDE push.outputs
#define B_COUNT push.outputs
#include "tropical/tile.glsl"

#ifdef ARGMAX
void layer_end(vec4 v, uvec4 arg, uint row, uint col);
#define LAYER_END(i, row, col) layer_end(acc[i], arg[i], row, col)
#else
void layer_end(vec4 v, uint row, uint col);
#define LAYER_END(i, row, col) layer_end(acc[i], row, col)
#endif

// Rows and columns past the end are for layer_end to leave out.
void layer() {
    uint across = (push.outputs + TILE - 1u) / TILE;
    uint group = group_index(), row0 = group / across * TILE, col0 = group % across * TILE;
    if (row0 >= push.count) return; // the whole work-group
    vec4 acc[16];
    [[unroll]] for (uint i = 0u; i < 16u; i++) acc[i] = vec4(none());
#ifdef ARGMAX
    uvec4 arg[16];
    [[unroll]] for (uint i = 0u; i < 16u; i++) arg[i] = uvec4(0u);
    tile(row0, col0, acc, arg);
#else
    tile(row0, col0, acc);
#endif
    uint row = row0 + 4u * (gl_LocalInvocationIndex >> 4), col = col0 + 4u * (gl_LocalInvocationIndex & 15u);
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        LAYER_END(2u * i, row + i, col);
        LAYER_END(2u * i + 1u, row + i, col + 64u);
        LAYER_END(2u * i + 8u, row + i + 64u, col);
        LAYER_END(2u * i + 9u, row + i + 64u, col + 64u);
    }
}
