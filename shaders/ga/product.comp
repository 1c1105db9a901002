#version 460
// Geometric products in Cl(3,0): C = A B, then `chain` times C = C R with one unit
// versor R for all elements (right multiplication by R keeps the norm of C).
//
// Bindings: 0 C (vec4, written), 1 A (vec4, read), 2 B (vec4, read); a unit is one
//           multivector: 8 floats, two vec4, in bitmask order.
// Push:     header, chain, R[8].
// Grid:     one multivector per invocation.
// Cost:     120 (1 + chain) flop and 96 bytes per unit.
#include "common/index.glsl"
#include "common/push.glsl"
#include "ga/cl30.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer C { vec4 vc[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer A { vec4 va[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer B { vec4 vb[]; };
PUSH(3, uint chain; float r[8];)

void unpack(vec4 lo, vec4 hi, out float m[8]) {
    m = float[8](lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w);
}

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    uint ia = push.off[1] / 4u + 2u * i;
    uint ib = push.off[2] / 4u + 2u * i;
    vec4 a_lo = va[ia], a_hi = va[ia + 1u], b_lo = vb[ib], b_hi = vb[ib + 1u];
    float a[8], b[8], c[8];
    unpack(a_lo, a_hi, a);
    unpack(b_lo, b_hi, b);
    geometric_product(a, b, c);

    float r[8] = push.r;
    uint k = 0u;
    for (; k + 2u <= push.chain; k += 2u) {
        float d[8];
        geometric_product(c, r, d);
        geometric_product(d, r, c);
    }
    if (k < push.chain) {
        float d[8];
        geometric_product(c, r, d);
        c = d;
    }

    uint ic = push.off[0] / 4u + 2u * i;
    vc[ic] = vec4(c[0], c[1], c[2], c[3]);
    vc[ic + 1u] = vec4(c[4], c[5], c[6], c[7]);
}
