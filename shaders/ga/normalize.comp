#version 460
// Multivectors over their Euclidean norm: y = a/|a|, zero where |a| < 1e-14.
// Bindings: 0 y (vec4, written), 1 a (vec4, read); a unit is one multivector: 8 floats.
// Push:     header.
// Grid:     one multivector per invocation, work-groups of 256.
// Cost:     23 flop, a square root and a division (nominal) and 64 bytes per unit.

#include "common/index.glsl"
#include "common/push.glsl"
#include "ga/stage.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) writeonly restrict buffer Y { vec4 y[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer A { vec4 a[]; };

PUSH(2,)

void main() {
    uint t = gl_LocalInvocationIndex;
    uint base = group_index() * STAGE, count = 2u * push.count; // in vec4
    if (base >= count) return; // the whole work-group
    uint i = base + t, j = i + 256u, at = push.off[1] / 4u;
    // Invocations past the end load the last vec4 and store nothing.
    float m[8];
    stage_in(a[at + min(i, count - 1u)], a[at + min(j, count - 1u)], m);
    float square = 0.0;
    for (uint k = 0u; k < 8u; k++) square += m[k] * m[k];
    float scale = square < 1e-28 ? 0.0 : inversesqrt(square);
    for (uint k = 0u; k < 8u; k++) m[k] *= scale;
    vec4 y0, y1;
    stage_out(m, y0, y1);
    at = push.off[0] / 4u;
    if (i < count) y[at + i] = y0;
    if (j < count) y[at + j] = y1;
}
