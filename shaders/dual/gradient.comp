#version 460
// Gradients of the extended Rosenbrock function of 64 variables,
//   f(x) = sum over i < 63 of 100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2,
// in forward mode: invocation (point, j) evaluates f on dual numbers with seed e_j, so its
// derivative part is component j of the gradient.
// Bindings: 0 gradient (float, written), 64 per point; 1 value (float, written), one per
//           point; 2 x (float, read), 64 per point; a unit is `points` points.
// Push:     header, points.
// Grid:     four points per work-group of 256, whose coordinates it shares (1 KiB).
// Cost:     19 flop (nominal) a term, 63 terms and 64 seeds a point, in 11 instructions and
//           two that pick the seed; 516 bytes a point.

#extension GL_EXT_control_flow_attributes : require

#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) writeonly restrict buffer G { float gradient[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer F { float value[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer X { float x[]; };

PUSH(3, uint points;)

const uint N = 64u, POINTS = 4u;
shared vec4 coordinates[POINTS * N / 4u];

// 100 (b - a^2)^2 + (1 - a)^2 and half of its derivative part, with (x, x')^2 = (x^2, 2 x x').
vec2 term(vec2 a, vec2 b) {
    float twice = a.x + a.x, off = 1.0 - a.x;
    vec2 valley = vec2(b.x - a.x * a.x, b.y - twice * a.y);
    float steep = 100.0 * valley.x;
    return vec2(steep * valley.x + off * off, steep * valley.y - off * a.y);
}

void main() {
    uint t = gl_LocalInvocationIndex, j = t % N, p = t / N;
    uint all = push.count * push.points, first = group_index() * POINTS;
    if (first >= all) return; // the whole work-group
    uint point = first + p, from = min(point, all - 1u);
    coordinates[t / 4u][t % 4u] = x[push.off[2] + from * N + j];
    barrier();
    vec2 sum = vec2(0.0);
    vec2 a = vec2(coordinates[p * (N / 4u)].x, j == 0u ? 1.0 : 0.0);
    for (uint q = 0u; q < N / 4u; q++) {
        vec4 four = coordinates[p * (N / 4u) + q];
        [[unroll]] for (uint k = 0u; k < 4u; k++) {
            uint i = 4u * q + k;
            if (i == 0u) continue;
            vec2 b = vec2(four[k], j == i ? 1.0 : 0.0);
            sum += term(a, b);
            a = b;
        }
    }
    if (point < all) {
        gradient[push.off[0] + point * N + j] = 2.0 * sum.y;
        if (j == 0u) value[push.off[1] + point] = sum.x;
    }
}
