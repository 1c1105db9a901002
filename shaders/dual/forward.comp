#version 460
// A fixed chain of functions on dual numbers, value and derivative together:
//   g(x) = tanh(sin(x) exp(-x^2/2)) + log(1 + x^2),
// applied `repeat` times with x <- g(x)/2 in between.
// Bindings: 0 y (vec4, written), 1 x (vec4, read); a unit is two dual numbers (x, x').
// Push:     header, repeat (at least 1).
// Grid:     two units per invocation, a local size apart.
// Cost:     60 flop and 12 special functions (nominal), about 170 instructions, and 32
//           bytes per unit. Not `precise`: only errors are promised, and fused
//           multiply-adds halve the polynomials.

#define AM_PRECISE
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"
#include "common/near.glsl"
#include "dual/dual.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) writeonly restrict buffer Y { vec4 y[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { vec4 x[]; };

PUSH(2, uint repeat;)

// |sin(x) exp(-x^2/2)| is below 0.53 for all x, and |x| at most 4.
vec2 g(vec2 x) {
    vec2 square = dual_mul(x, x);
    vec2 bell = dual_mul(dual_sin(x), dual_exp_near(-0.5 * square));
    return dual_tanh_near(bell) + dual_log_normal(vec2(1.0 + square.x, square.y));
}

vec4 chain(vec4 two) {
    vec2 a = g(two.xy), b = g(two.zw);
    for (uint r = 1u; r < push.repeat; r++) {
        a = g(0.5 * a);
        b = g(0.5 * b);
    }
    return vec4(a, b);
}

void main() {
    const uint w = gl_WorkGroupSize.x;
    uint i = group_index() * (2u * w) + gl_LocalInvocationID.x;
    uint ix = push.off[1] / 4u + i, iy = push.off[0] / 4u + i;
    if (i + w < push.count) {
        vec4 first = x[ix], second = x[ix + w];
        y[iy] = chain(first);
        y[iy + w] = chain(second);
    } else if (i < push.count) {
        y[iy] = chain(x[ix]);
    }
}
