#version 460
// Geometric products in Cl(3,0): C = A B, then `chain` times C = C R with one unit
// versor R for all elements (right multiplication by R keeps the norm of C).
//
// Bindings: 0 C (vec4, written), 1 A (vec4, read), 2 B (vec4, read); a unit is one
//           multivector: 8 floats, two vec4, in bitmask order.
// Push:     header, chain, R[8].
// Constants: 0 local size and 1 the same again, LOCAL; 2 UNROLL: products of a turn of the chain
// Grid:     one multivector per invocation.
// Cost:     120 (1 + chain) flop and 96 bytes per unit.
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint LOCAL = 256u;
layout(constant_id = 2) const uint UNROLL = 2u;
#define GROUP LOCAL
#include "common/index.glsl"
#include "common/push.glsl"
#include "ga/cl30.glsl"
#include "ga/stage.glsl"

layout(set = 0, binding = 0, std430) writeonly restrict buffer C { vec4 vc[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer A { vec4 va[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer B { vec4 vb[]; };
PUSH(3, uint chain; float r[8];)

void times(inout float c[8], float r[8]) {
    float d[8];
    geometric_product(c, r, d);
    c = d;
}

void main() {
    uint t = gl_LocalInvocationIndex;
    uint base = group_index() * STAGE, count = 2u * push.count; // in vec4
    if (base >= count) return; // the whole work-group
    uint i = base + t, j = i + GROUP;
    // Invocations past the end load the last vec4 and store nothing.
    uint ci = min(i, count - 1u), cj = min(j, count - 1u);
    uint ia = push.off[1] / 4u, ib = push.off[2] / 4u;
    vec4 a0 = va[ia + ci], a1 = va[ia + cj], b0 = vb[ib + ci], b1 = vb[ib + cj];

    float a[8], b[8], c[8];
    stage_in(a0, a1, a);
    barrier();
    stage_in(b0, b1, b);
    geometric_product(a, b, c);

    float r[8] = push.r;
    uint k = 0u;
    for (; k + UNROLL <= push.chain; k += UNROLL) {
        [[unroll]] for (uint u = 0u; u < UNROLL; u++) times(c, r);
    }
    for (; k < push.chain; k++) times(c, r);

    vec4 c0, c1;
    stage_out(c, c0, c1);
    uint ic = push.off[0] / 4u;
    if (i < count) vc[ic + i] = c0;
    if (j < count) vc[ic + j] = c1;
}
