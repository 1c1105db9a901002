#version 460
// Products of tropical-dual-Clifford elements z = x y, three parts side by side:
//   t_k = max over i of (t_i + t'_(i^k)), dual numbers (r, d) (r', d') = (r r', r d' + d r')
//   and c c' with geometric products of Cl(3,0).
//
// Bindings: 0 z (vec4, written), 1 x (vec4, read), 2 y (vec4, read); a unit is one element,
//           32 floats: t[8], r[8], d[8], c[8] in bitmask order.
// Push:     header.
// Grid:     four invocations an element, one for each eight floats; work-groups of 256 move
//           64 elements of each array in order through shared memory (16 KiB), where
//           neighbours meet no bank twice.
// Cost:     608 flop and 384 bytes per unit.
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/order.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Z { vec4 z[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { vec4 x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Y { vec4 y[]; };
PUSH(3, )

#include "fusion/parts.glsl"

const uint STAGE = 512u; // vec4 of 64 elements
shared vec4 stage[2u * STAGE];

uint stage_at(uint i) { return i ^ ((i >> 3) & 1u); }

void staged(uint array, uint at, out float m[8]) {
    vec4 lo = stage[array * STAGE + stage_at(at)], hi = stage[array * STAGE + stage_at(at + 1u)];
    m = float[8](lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w);
}

void main() {
    uint t = gl_LocalInvocationID.x;
    uint base = group_index() * STAGE, count = 8u * push.count; // in vec4
    if (base >= count) return; // the whole work-group
    // Invocations past the end load the last vec4 and store nothing.
    uint first = min(base + t, count - 1u), second = min(base + t + 256u, count - 1u);
    vec4 x0 = x[push.off[1] / 4u + first], x1 = x[push.off[1] / 4u + second];
    vec4 y0 = y[push.off[2] / 4u + first], y1 = y[push.off[2] / 4u + second];
    stage[stage_at(t)] = x0;
    stage[stage_at(t + 256u)] = x1;
    stage[STAGE + stage_at(t)] = y0;
    stage[STAGE + stage_at(t + 256u)] = y1;
    barrier();
    float a[8], b[8], c[8];
    uint part = t & 3u;
    staged(0u, 2u * t, a);
    staged(1u, 2u * t, b);
    if (part == 0u) tropical_product(a, b, c);
    else if (part == 2u) {
        float r[8], s[8];
        staged(0u, 2u * t - 2u, r);
        staged(1u, 2u * t - 2u, s);
        dual_product(r, a, s, b, c);
    } else clifford_product(a, b, c);
    barrier();
    stage[stage_at(2u * t)] = vec4(c[0], c[1], c[2], c[3]);
    stage[stage_at(2u * t + 1u)] = vec4(c[4], c[5], c[6], c[7]);
    barrier();
    if (base + t < count) z[push.off[0] / 4u + base + t] = stage[stage_at(t)];
    if (base + t + 256u < count) z[push.off[0] / 4u + base + t + 256u] = stage[stage_at(t + 256u)];
}
