#version 460
// Rate of addition with maximum in float32, the step of tropical products: eight pairs of
// chains x = max(x + a, y), y = max(y + b, x) an invocation, on whole numbers, exact.
//
// Bindings: 0 sums (uint: a float's bits, written), 1 x (uvec4, read), 2 a, 3 b (uint,
//           read); a unit is one invocation.
// Push:     header, repeat, at most 2048.
// Grid:     one unit per invocation.
// Cost:     512 repeat flop per unit.
#include "common/index.glsl"
#include "common/push.glsl"
#include "peak/chains.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer S { float sums[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { uvec4 x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer A { uint va[]; };
layout(set = 0, binding = 3, std430) readonly restrict buffer B { uint vb[]; };
PUSH(4, uint repeat;)

#define START(v, j) float v = float(CHAINS_WORD(s, j) & 65535u);
#define STEP(v, w) v = max(v + a, w); w = max(w + b, v);
#define ADD(v, j) sum += v;

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    uvec4 s = x[push.off[1] / 4u + i];
    float a = float(int(va[push.off[2] + i] & 15u) - 8), b = float(int(vb[push.off[3] + i] & 15u) - 8);
    CHAINS_EACH(START)
    for (uint k = 0u; k < push.repeat; k++) { CHAINS_16(CHAINS_PAIRS(STEP)) }
    float sum = 0.0;
    CHAINS_EACH(ADD)
    sums[push.off[0] + i] = sum;
}
