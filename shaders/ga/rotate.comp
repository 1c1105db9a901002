#version 460
// Rotations of vectors in Cl(3,0), the fast path of ga/rotor in quaternion form:
//   t = 2 u x v, y = v + w t + u x t  for the rotor w - (u23, -u13, u12) as a bivector.
// Bindings: 0 y (vec4, written), 1 x (vec4, read); a unit is four vectors: 12 floats.
// Push:     header, w, ux, uy, uz.
// Grid:     one unit per invocation, work-groups of 256; loads and stores go in order
//           through shared memory (12 KiB), where a stride of three vec4 meets no bank
//           twice.
// Cost:     120 flop and 96 bytes per unit.

#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) writeonly restrict buffer Y { vec4 y[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { vec4 x[]; };

PUSH(2, float w; float ux; float uy; float uz;)

const uint STAGE = 768u;
shared vec4 stage[STAGE];

vec3 rotated(vec3 v) {
    vec3 u = vec3(push.ux, push.uy, push.uz);
    vec3 turn = cross(u, v);
    turn += turn;
    return v + push.w * turn + cross(u, turn);
}

void main() {
    uint t = gl_LocalInvocationIndex;
    uint base = group_index() * STAGE, count = 3u * push.count; // in vec4
    if (base >= count) return; // the whole work-group
    uint ix = push.off[1] / 4u, iy = push.off[0] / 4u;
    // Invocations past the end load the last vec4 and store nothing.
    vec4 a = x[ix + min(base + t, count - 1u)];
    vec4 b = x[ix + min(base + t + 256u, count - 1u)];
    vec4 c = x[ix + min(base + t + 512u, count - 1u)];
    stage[t] = a;
    stage[t + 256u] = b;
    stage[t + 512u] = c;
    barrier();
    a = stage[3u * t];
    b = stage[3u * t + 1u];
    c = stage[3u * t + 2u];
    vec3 v0 = rotated(a.xyz), v1 = rotated(vec3(a.w, b.xy));
    vec3 v2 = rotated(vec3(b.zw, c.x)), v3 = rotated(c.yzw);
    stage[3u * t] = vec4(v0, v1.x);
    stage[3u * t + 1u] = vec4(v1.yz, v2.xy);
    stage[3u * t + 2u] = vec4(v2.z, v3);
    barrier();
    if (base + t < count) y[iy + base + t] = stage[t];
    if (base + t + 256u < count) y[iy + base + t + 256u] = stage[t + 256u];
    if (base + t + 512u < count) y[iy + base + t + 512u] = stage[t + 512u];
}
