#version 460
// The weights of a random directed graph as a matrix: w_ij = 1 + word mod `weights` where a
// second part of the word is below `chance` of 2^22, else infinite; 0 on the diagonal.
//
// Bindings: 0 d (vec4, written), a unit is 64 rows of `pitch` floats.
// Push:     header; n (nodes), pitch (a multiple of 128, at least n), chance, weights (at
//           most 1024), seed_lo, seed_hi
// Grid:     an invocation per vec4 of a unit.
// Cost:     a Philox block and 4 bytes per element. Rows and columns beyond n are infinite.
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/philox.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer D { vec4 d[]; };
PUSH(1, uint n; uint pitch; uint chance; uint weights; uint seed_lo; uint seed_hi;)

const uint WORKLOAD = 17u, ARRAY = 5u, ROWS = 64u;

float weight(uint i, uint j) {
    if (i == j && i < push.n) return 0.0;
    uint hi, lo, carry;
    umulExtended(i, push.n, hi, lo);
    lo = uaddCarry(lo, j, carry);
    uint w = stream_word(uvec2(lo, hi + carry), ARRAY, WORKLOAD, uvec2(push.seed_lo, push.seed_hi));
    bool edge = i < push.n && j < push.n && (w >> 10) < push.chance;
    return edge ? float(1u + (w & 1023u) % push.weights) : uintBitsToFloat(0x7F800000u);
}

void main() {
    uint q = invocation_index();
    uint line = push.pitch / 4u;
    if (q >= push.count * ROWS * line) return;
    uint i = push.first_lo * ROWS + q / line, j = q % line * 4u;
    d[push.off[0] / 4u + q] = vec4(weight(i, j), weight(i, j + 1u), weight(i, j + 2u), weight(i, j + 3u));
}
