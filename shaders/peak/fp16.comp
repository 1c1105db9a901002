#version 460
// Rate of fused multiply-add in packed float16: sixteen chains of two lanes each,
// x = fma(x, a, b) with a = -1 and b and b + 1 in turn, so that a lane gains 1 in two
// steps: whole numbers below 2048, every step exact.
//
// Bindings: 0 sums (uint, written), 1 x (uvec4, read), 2 a, 3 b (uint, read); a unit is
//           one invocation.
// Push:     header, repeat, at most 128.
// Grid:     one unit per invocation.
// Cost:     1024 repeat flop per unit.
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "peak/chains.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer S { uint sums[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { uvec4 x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer A { uint va[]; };
layout(set = 0, binding = 3, std430) readonly restrict buffer B { uint vb[]; };
PUSH(4, uint repeat;)

f16vec2 lanes(uint w) { return f16vec2(float(w & 511u), float((w >> 9) & 511u)); }
uint gathered(f16vec2 v, uint weight) { return weight * uint(float(v.x)) + (weight << 8) * uint(float(v.y)); }

#define START(v, j) f16vec2 v = lanes(CHAINS_WORD(s, j));
#define FIRST(v, j) v = fma(v, a, b);
#define SECOND(v, j) v = fma(v, a, c);
#define ADD(v, j) sum += gathered(v, uint(2 * j + 1));

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    uvec4 s = x[push.off[1] / 4u + i];
    // The device does not know that a is 1.
    f16vec2 a = f16vec2(-float(va[push.off[2] + i]));
    uint w = vb[push.off[3] + i];
    f16vec2 b = f16vec2(float(w & 255u), float((w >> 8) & 255u));
    f16vec2 c = b + f16vec2(1.0);
    CHAINS_EACH(START)
    for (uint k = 0u; k < push.repeat; k++) { CHAINS_8(CHAINS_EACH(FIRST) CHAINS_EACH(SECOND)) }
    uint sum = 0u;
    CHAINS_EACH(ADD)
    sums[push.off[0] + i] = sum;
}
