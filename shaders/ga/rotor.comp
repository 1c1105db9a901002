#version 460
// Rotations in Cl(3,0) by the sandwich y = R x rev(R), x a general multivector.
// Bindings: 0 y (vec4, written), 1 x (vec4, read), 2 R (vec4, read, with EACH; else any
//           array); a unit is one multivector: 8 floats in bitmask order.
// Push:     header, R[4]: the components 1, e12, e13, e23 of the rotor for all elements.
// Constant: 1 EACH: every element has a rotor of its own.
// Grid:     one multivector per invocation, work-groups of 256.
// Cost:     240 flop (nominal: two products) and 64 bytes per unit, 96 with EACH.

#include "common/index.glsl"
#include "common/push.glsl"
#include "ga/cl30.glsl"
#include "ga/stage.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint EACH = 0u;

layout(set = 0, binding = 0, std430) writeonly restrict buffer Y { vec4 y[]; };
layout(set = 0, binding = 1, std430) readonly buffer X { vec4 x[]; };
layout(set = 0, binding = 2, std430) readonly buffer R { vec4 r[]; };

PUSH(3, float rotor[4];)

void main() {
    uint t = gl_LocalInvocationIndex;
    uint base = group_index() * STAGE, count = 2u * push.count; // in vec4
    if (base >= count) return; // the whole work-group
    uint i = base + t, j = i + 256u;
    uint ix = push.off[1] / 4u, ir = push.off[2] / 4u;
    // Invocations past the end load the last vec4 and store nothing.
    uint ci = min(i, count - 1u), cj = min(j, count - 1u);
    vec4 x0 = x[ix + ci], x1 = x[ix + cj];
    float a[8], b[8], c[8], q[4] = push.rotor;
    if (EACH != 0u) {
        vec4 r0 = r[ir + ci], r1 = r[ir + cj];
        float each[8];
        stage_in(r0, r1, each);
        q = float[4](each[0], each[3], each[5], each[6]);
        barrier();
    }
    stage_in(x0, x1, a);
    even_left(q, a, b);
    even_right_reversed(b, q, c);
    vec4 y0, y1;
    stage_out(c, y0, y1);
    uint iy = push.off[0] / 4u;
    if (i < count) y[iy + i] = y0;
    if (j < count) y[iy + j] = y1;
}
