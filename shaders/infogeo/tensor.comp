#version 460
// The Amari-Chentsov tensor T(X, Y, Z) = T_ijk X^i Y^j Z^k of the Gaussian manifold in
// natural coordinates, totally symmetric.
//
// Bindings: 0 T (float, written); 1 in (vec4, read), two a unit: numbers that make a point,
//             X; Y, Z.
// Push:     header.
// Grid:     one unit per invocation.
// Cost:     nominally 10 flop and 36 bytes per unit.
#define AM_PRECISE
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"
#include "infogeo/manifold.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer T { float tensor[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer In { vec4 given[]; };
PUSH(2, )

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    vec4 first = given[push.off[1] / 4u + 2u * i], second = given[push.off[1] / 4u + 2u * i + 1u];
    vec3 t = amari_chentsov(natural_point(first.x, first.y));
    vec2 x = first.zw, y = second.xy, z = second.zw;
    float once = x.x * y.x * z.y + x.x * y.y * z.x + x.y * y.x * z.x;
    float twice = x.x * y.y * z.y + x.y * y.x * z.y + x.y * y.y * z.x;
    tensor[push.off[0] + i] = t.x * once + t.y * twice + t.z * (x.y * y.y * z.y);
}
