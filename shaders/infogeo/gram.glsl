// What the kernels of the logistic Fisher matrix share: for each chunk of rows of X the
// lower triangle of the sum over r of (s_r x_r) (s_r x_r)^T, in tiles of 64 x 64.
//
// Bindings: 0 partials (vec4, written), a unit is a chunk: its tiles (i, j), i >= j, as
//             number i (i+1)/2 + j with 4096 floats in rows of 64;
//           1 X (vec4, read), a unit is a chunk of `rows` rows of d floats;
//           2 s (float, read), a unit is the chunk's `rows` square roots of weights.
// Push:     header; d (a multiple of 64), rows (a multiple of 16).
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Partials { vec4 partials[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { vec4 x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer S { float s[]; };
PUSH(3, uint d; uint rows;)

const uint DEPTH = 16u; // rows of X in a step

uint triangle(uint i) { return i * (i + 1u) / 2u; }

// The row of a triangular number.
uint triangle_row(uint number) {
    uint i = 0u;
    while (triangle(i + 1u) <= number) i++;
    return i;
}

// The first vec4 of a tile of a chunk.
uint tile_start(uint chunk, uint i, uint j) {
    return push.off[0] / 4u + (chunk * triangle(push.d / 64u) + triangle(i) + j) * 1024u;
}
