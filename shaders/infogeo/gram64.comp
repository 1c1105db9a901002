#version 460
#extension GL_EXT_control_flow_attributes : require
// Sums of outer products by tiles of 64 x 64: 256 invocations with 4 x 4 outputs each, for
// few columns and for devices with little shared memory (8 KiB).
// Bindings and push words: infogeo/gram.glsl.
//
// Grid:  one work-group per tile of the lower triangle and chunk.
// Cost:  2 * 64^2 flop per row and tile; tiles on the diagonal are made whole.
#include "common/index.glsl"
#include "common/push.glsl"
#include "infogeo/gram.glsl"

const uint LINE = 16u; // vec4 in a row of a tile
shared vec4 left[DEPTH * LINE];
shared vec4 right[DEPTH * LINE];

void main() {
    uint tiles = triangle(push.d / 64u);
    uint chunk = group_index() / tiles, number = group_index() % tiles;
    if (chunk >= push.count) return; // the whole work-group
    uint i = triangle_row(number), j = number - triangle(i);
    uint t = gl_LocalInvocationID.x;
    uint row = t / LINE, column = t % LINE;
    uint d4 = push.d / 4u;
    uint at = push.off[1] / 4u + (chunk * push.rows + row) * d4 + column;
    uint scale = push.off[2] + chunk * push.rows + row;

    vec4 c[4];
    [[unroll]] for (uint r = 0u; r < 4u; r++) c[r] = vec4(0.0);
    vec4 next_left = x[at + i * LINE], next_right = x[at + j * LINE];
    float next_scale = s[scale];
    for (uint steps = push.rows / DEPTH;;) {
        left[t] = next_left * next_scale;
        right[t] = next_right * next_scale;
        barrier();
        steps--;
        if (steps > 0u) {
            at += DEPTH * d4;
            scale += DEPTH;
            next_left = x[at + i * LINE];
            next_right = x[at + j * LINE];
            next_scale = s[scale];
        }
        [[unroll]] for (uint k = 0u; k < DEPTH; k++) {
            vec4 a = left[k * LINE + row], b = right[k * LINE + column];
            c[0] += a.x * b;
            c[1] += a.y * b;
            c[2] += a.z * b;
            c[3] += a.w * b;
        }
        if (steps == 0u) break;
        barrier();
    }
    uint to = tile_start(chunk, i, j) + row * 4u * LINE + column;
    [[unroll]] for (uint r = 0u; r < 4u; r++) partials[to + r * LINE] = c[r];
}
