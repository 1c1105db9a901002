#version 460
// Minkowski squares q = t^2 - x^2 - y^2 - z^2 and four-velocities renormalised to
// u.u = 1, (t, x, y, z) / sqrt(q).
//
// Bindings: 0 u (vec4, written), 1 q (float, written), 2 w (vec4, read): t - 2, x, y, z,
//             each within 1/2 of 0, so that every vector is timelike.
// Push:     header.
// Grid:     one vector per invocation.
// Cost:     7 flop for the square and 4 to scale, a reciprocal square root, 36 bytes.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer U { vec4 u[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Q { float q[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer W { vec4 w[]; };
PUSH(3, )

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    vec4 v = w[push.off[2] / 4u + i];
    v.x += 2.0;
    float square = v.x * v.x - v.y * v.y - v.z * v.z - v.w * v.w;
    q[push.off[1] + i] = square;
    u[push.off[0] / 4u + i] = v * inversesqrt(square);
}
