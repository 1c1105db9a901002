#version 460
// Rate of the device's own special functions: eight sums of f(x) over an x that grows by
// 2^-12 a step from a start in [1, 1.5), all arguments exact and below 2.
//
// Bindings: 0 sums (float, written), 1 x (uvec4, read); a unit is one invocation.
// Push:     header, repeat, at most 128.
// Constant: 1 the function: 0 inversesqrt, 1 exp2, 2 log2, 3 sin, 4 cos, 5 reciprocal,
//           6 sqrt.
// Grid:     one unit per invocation.
// Cost:     128 repeat evaluations per unit, each with two additions beside it.
#include "common/index.glsl"
#include "common/push.glsl"
#include "peak/chains.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint FUNCTION = 0u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer S { float sums[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { uvec4 x[]; };
PUSH(2, uint repeat;)

float f(float v) {
    switch (FUNCTION) {
    case 1u: return exp2(v);
    case 2u: return log2(v);
    case 3u: return sin(v);
    case 4u: return cos(v);
    case 5u: return 1.0 / v;
    case 6u: return sqrt(v);
    }
    return inversesqrt(v);
}

#define START(v, t) float v = 1.0 + float(s[at & 3] >> 10) * (1.0 / 8388608.0) * (at < 4 ? 1.0 : 0.5), t = 0.0; at++;
#define STEP(v, t) t += f(v); v += 1.0 / 4096.0;
#define ADD(v, t) sum += t;

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    uvec4 s = x[push.off[1] / 4u + i];
    int at = 0;
    CHAINS_PAIRS(START)
    // Few of them fill the unit, and each is compiled in all its variants.
    for (uint k = 0u; k < 8u * push.repeat; k++) { CHAINS_PAIRS(STEP) CHAINS_PAIRS(STEP) }
    float sum = 0.0;
    CHAINS_PAIRS(ADD)
    sums[push.off[0] + i] = sum;
}
