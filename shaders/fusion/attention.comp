#version 460
// Attention over tropical-dual-Clifford elements: scores w1 max(a, b) + w2 <d, d'> + w3 <c, c'>
// with the scalars a, b of the tropical parts, softmax over the keys in two passes with the
// largest score subtracted, and the weighted sum of the keys' Clifford parts.
//
// Bindings: 0 out (vec4, written): 8 floats a query; 1 x, queries, 2 y, keys (vec4, read),
//             elements of 32 floats, t[8], r[8], d[8], c[8].
// Push:     header; keys, w1, w2, w3.
// Grid:     one query per invocation, work-groups of 256, which share keys in tiles of 128
//           (9 KiB).
// Cost:     nominally 40 flop and an exponential per pair.
#define AM_PRECISE
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Out { vec4 result[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { vec4 x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Y { vec4 y[]; };
PUSH(3, uint keys; float w1; float w2; float w3;)

const uint TILE = 128u;
shared vec4 parts[4u * TILE]; // d and c of a key
shared float scalars[TILE];

void load_tile(uint j0) {
    barrier();
    for (uint k = gl_LocalInvocationID.x; k < 4u * TILE; k += gl_WorkGroupSize.x)
        parts[k] = y[push.off[2] / 4u + 8u * min(j0 + k / 4u, push.keys - 1u) + 4u + k % 4u];
    for (uint k = gl_LocalInvocationID.x; k < TILE; k += gl_WorkGroupSize.x)
        scalars[k] = y[push.off[2] / 4u + 8u * min(j0 + k, push.keys - 1u)].x;
    barrier();
}

float score(float a, vec4 d0, vec4 d1, vec4 c0, vec4 c1, uint j) {
    float dual = dot(d0, parts[4u * j]) + dot(d1, parts[4u * j + 1u]);
    float clifford = dot(c0, parts[4u * j + 2u]) + dot(c1, parts[4u * j + 3u]);
    return push.w1 * max(a, scalars[j]) + (push.w2 * dual + push.w3 * clifford);
}

void main() {
    uint i = invocation_index();
    if (group_index() * gl_WorkGroupSize.x >= push.count) return; // the whole work-group
    uint at = push.off[1] / 4u + 8u * min(i, push.count - 1u);
    float a = x[at].x;
    vec4 d0 = x[at + 4u], d1 = x[at + 5u], c0 = x[at + 6u], c1 = x[at + 7u];
    float most = uintBitsToFloat(0xFF800000u);
    for (uint j0 = 0u; j0 < push.keys; j0 += TILE) {
        load_tile(j0);
        uint n = min(push.keys - j0, TILE);
        for (uint j = 0u; j < n; j++) most = max(most, score(a, d0, d1, c0, c1, j));
    }
    float total = 0.0;
    vec4 sum0 = vec4(0.0), sum1 = vec4(0.0);
    for (uint j0 = 0u; j0 < push.keys; j0 += TILE) {
        load_tile(j0);
        uint n = min(push.keys - j0, TILE);
        for (uint j = 0u; j < n; j++) {
            float weight = am_exp_near(score(a, d0, d1, c0, c1, j) - most);
            total += weight;
            sum0 += weight * parts[4u * j + 2u];
            sum1 += weight * parts[4u * j + 3u];
        }
    }
    if (i >= push.count) return;
    float inverse = am_rcp(total);
    result[push.off[0] / 4u + 2u * i] = sum0 * inverse;
    result[push.off[0] / 4u + 2u * i + 1u] = sum1 * inverse;
}
