#version 460
// Attention over tropical-dual-Clifford elements: scores w1 max(a, b) + w2 <d, d'> + w3 <c, c'>
// with the scalars a, b of the tropical parts, softmax over the keys in one pass, and the
// weighted sum of the keys' Clifford parts.
//
// A score near the largest so far is subtracted from all: it follows when one exceeds it by
// more than AHEAD, so that sums are scaled a few times at most and a weight is e^AHEAD at most.
//
// Bindings: 0 out (vec4, written): 8 floats a query; 1 x, queries, 2 y, keys (vec4, read),
//             elements of 32 floats, t[8], r[8], d[8], c[8].
// Push:     header; keys, w1, w2, w3.
// Grid:     two queries per invocation, as one would wait for shared memory, where every key is
//           read; work-groups of 256, which share keys in tiles of 128 (9 KiB).
// Cost:     nominally 40 flop and an exponential per pair.
#define AM_PRECISE
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"
#include "common/near.glsl"

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

// What a query asks with, and its sums so far, of weights relative to e^most.
struct Query {
    float a;
    vec4 d0, d1, c0, c1;
    float most, total;
    vec4 sum0, sum1;
};

const float AHEAD = 1.0;

Query begin(uint i) {
    uint at = push.off[1] / 4u + 8u * min(i, push.count - 1u);
    return Query(x[at].x, x[at + 4u], x[at + 5u], x[at + 6u], x[at + 7u], -1e30, 0.0, vec4(0.0), vec4(0.0));
}

float score(Query q, uint j) {
    float dual = dot(q.d0, parts[4u * j]) + dot(q.d1, parts[4u * j + 1u]);
    float clifford = dot(q.c0, parts[4u * j + 2u]) + dot(q.c1, parts[4u * j + 3u]);
    return push.w1 * max(q.a, scalars[j]) + (push.w2 * dual + push.w3 * clifford);
}

// Makes a score the one that is subtracted if it is far ahead.
void follow(inout Query q, float score) {
    if (!(score > q.most + AHEAD)) return;
    float scale = exp_near(max(q.most - score, -80.0)); // of zeros the first time
    q.total *= scale;
    q.sum0 *= scale;
    q.sum1 *= scale;
    q.most = score;
}

void add(inout Query q, float score, uint j) {
    float weight = exp_near(score - q.most);
    q.total += weight;
    q.sum0 += weight * parts[4u * j + 2u];
    q.sum1 += weight * parts[4u * j + 3u];
}

void end(Query q, uint i) {
    if (i >= push.count) return;
    float inverse = am_rcp(q.total);
    result[push.off[0] / 4u + 2u * i] = q.sum0 * inverse;
    result[push.off[0] / 4u + 2u * i + 1u] = q.sum1 * inverse;
}

void main() {
    uint first = 2u * gl_WorkGroupSize.x * group_index();
    if (first >= push.count) return; // the whole work-group
    uint i = first + gl_LocalInvocationIndex, k = i + gl_WorkGroupSize.x;
    Query q = begin(i), r = begin(k);
    for (uint j0 = 0u; j0 < push.keys; j0 += TILE) {
        load_tile(j0);
        uint n = min(push.keys - j0, TILE);
        uint j = 0u;
        for (; j + 2u <= n; j += 2u) { // one branch for four pairs
            float q0 = score(q, j), q1 = score(q, j + 1u), r0 = score(r, j), r1 = score(r, j + 1u);
            if (max(max(q0, q1) - q.most, max(r0, r1) - r.most) > AHEAD) {
                follow(q, max(q0, q1));
                follow(r, max(r0, r1));
            }
            add(q, q0, j);
            add(r, r0, j);
            add(q, q1, j + 1u);
            add(r, r1, j + 1u);
        }
        if (j < n) { // the last of an odd number
            float q0 = score(q, j), r0 = score(r, j);
            follow(q, q0);
            follow(r, r0);
            add(q, q0, j);
            add(r, r0, j);
        }
    }
    end(q, i);
    end(r, k);
}
