#version 460
// Rate of fused multiply-add in float32: sixteen chains x = fma(x, a, b) an invocation.
// -1 < a <= -0.9995, so that chains neither grow nor settle.
//
// Bindings: 0 sums (float, written), 1 x (vec4, read), 2 a, 3 b (float, read); a unit is
//           one invocation.
// Push:     header, repeat.
// Grid:     one unit per invocation.
// Cost:     512 repeat flop per unit.
#include "common/index.glsl"
#include "common/push.glsl"
#include "peak/chains.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer S { float sums[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { vec4 x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer A { float va[]; };
layout(set = 0, binding = 3, std430) readonly restrict buffer B { float vb[]; };
PUSH(4, uint repeat;)

#define START(v, j) float v = CHAINS_FLOAT(s, j);
#define STEP(v, j) v = fma(v, a, b);
#define ADD(v, j) sum += v;

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    vec4 s = x[push.off[1] / 4u + i];
    float a = va[push.off[2] + i], b = vb[push.off[3] + i];
    CHAINS_EACH(START)
    for (uint k = 0u; k < push.repeat; k++) { CHAINS_16(CHAINS_EACH(STEP)) }
    float sum = 0.0;
    CHAINS_EACH(ADD)
    sums[push.off[0] + i] = sum;
}
