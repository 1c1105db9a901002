#version 460
// Distances from ROWS rows of nodes to all others, and closeness: the number of others over
// the sum of distances to them.
//
// Bindings: 0 d (vec4, written), a unit is a row of `pitch` floats; 1 closeness (float,
//           written), one per unit; 2 position (vec4, read), all nodes: x, y, z, unused
// Push:     header; n (nodes), pitch (a multiple of 4, at least n)
// Grid:     a work-group per ROWS units; the local size is fixed, it would change the bits.
// Cost:     8 flop and a square root per pair, 4 bytes written; positions are read once for
//           ROWS rows. Elements of a row beyond n are 0.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Distances { vec4 d[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Closeness { float closeness[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Positions { vec4 position[]; };
PUSH(3, uint n; uint pitch;)

const uint ROWS = 8u;
const uint WIDTH = 256u;
shared float sums[ROWS * WIDTH];

float plus(float p, float q) {
    precise float sum = p + q;
    return sum;
}

float distance_to(vec3 a, vec3 b) {
    precise vec3 s = a - b;
    precise float square = (s.x * s.x + s.y * s.y) + s.z * s.z;
    return sqrt(square);
}

void main() {
    uint first = group_index() * ROWS;
    if (first >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;
    uint here = min(ROWS, push.count - first);
    uint at = push.off[2] / 4u;
    vec3 own[ROWS];
    for (uint r = 0u; r < ROWS; r++) {
        own[r] = position[at + push.first_lo + first + min(r, here - 1u)].xyz;
    }
    float mine[ROWS];
    for (uint r = 0u; r < ROWS; r++) mine[r] = 0.0;
    for (uint j = t; j < push.pitch / 4u; j += WIDTH) {
        vec3 p[4];
        for (uint k = 0u; k < 4u; k++) p[k] = position[at + min(4u * j + k, push.n - 1u)].xyz;
        for (uint r = 0u; r < ROWS; r++) {
            vec4 v;
            for (uint k = 0u; k < 4u; k++) v[k] = 4u * j + k < push.n ? distance_to(own[r], p[k]) : 0.0;
            mine[r] = plus(mine[r], plus(plus(v.x, v.y), plus(v.z, v.w)));
            if (r < here) d[(push.off[0] + (first + r) * push.pitch) / 4u + j] = v;
        }
    }
    for (uint r = 0u; r < ROWS; r++) sums[r * WIDTH + t] = mine[r];
    barrier();
    // 256 to 16 to 1: invocation t joins a sixteenth of row t / 16.
    if (t < 16u * ROWS) {
        uint base = t / 16u * WIDTH + t % 16u;
        float s = sums[base];
        for (uint k = 1u; k < 16u; k++) s = plus(s, sums[base + 16u * k]);
        sums[base] = s;
    }
    barrier();
    if (t < here) {
        float s = sums[t * WIDTH];
        for (uint k = 1u; k < 16u; k++) s = plus(s, sums[t * WIDTH + k]);
        closeness[push.off[1] + first + t] = s > 0.0 ? float(push.n - 1u) / s : 0.0;
    }
}
