#version 460
// Rate of 32-bit integers without products, as in hashes: eight pairs of chains
// x = (x + y) ^ a, y = (y + x) ^ b an invocation, modulo 2^32.
//
// Bindings: 0 sums (uint, written), 1 x (uvec4, read), 2 a, 3 b (uint, read); a unit
//           is one invocation.
// Push:     header, repeat.
// Grid:     one unit per invocation.
// Cost:     512 repeat operations per unit.
#include "common/index.glsl"
#include "common/push.glsl"
#include "peak/chains.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer S { uint sums[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { uvec4 x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer A { uint va[]; };
layout(set = 0, binding = 3, std430) readonly restrict buffer B { uint vb[]; };
PUSH(4, uint repeat;)

#define START(v, j) uint v = CHAINS_WORD(s, j);
#define STEP(v, w) v = (v + w) ^ a; w = (w + v) ^ b;
#define ADD(v, j) sum = sum * 3u + v;

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    uvec4 s = x[push.off[1] / 4u + i];
    uint a = va[push.off[2] + i], b = vb[push.off[3] + i];
    CHAINS_EACH(START)
    for (uint k = 0u; k < push.repeat; k++) { CHAINS_16(CHAINS_PAIRS(STEP)) }
    uint sum = 0u;
    CHAINS_EACH(ADD)
    sums[push.off[0] + i] = sum;
}
