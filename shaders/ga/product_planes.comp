#version 460
// Geometric products in Cl(3,0) as in ga/product, of multivectors in planes: C = A B, then
// `chain` times C = C R.
//
// Bindings: 0 C (float, written), 1 A (float, read), 2 B (float, read); a unit is 256
//           multivectors: 256 components of 1, then 256 of e1, ... in bitmask order.
// Push:     header, chain, R[8].
// Constant: 2 UNROLL: products of a turn of the chain
// Grid:     one unit per work-group of 256; neighbours read neighbouring words.
// Cost:     120 (1 + chain) flop and 96 bytes per multivector.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "ga/cl30.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 2) const uint UNROLL = 2u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer C { float vc[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer A { float va[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer B { float vb[]; };
PUSH(3, uint chain; float r[8];)

const uint BLOCK = 256u;

void times(inout float c[8], float r[8]) {
    float d[8];
    geometric_product(c, r, d);
    c = d;
}

void main() {
    uint unit = group_index();
    if (unit >= push.count) return;
    uint at = unit * (8u * BLOCK) + gl_LocalInvocationIndex;
    float a[8], b[8], c[8];
    [[unroll]] for (uint j = 0u; j < 8u; j++) {
        a[j] = va[push.off[1] + at + j * BLOCK];
        b[j] = vb[push.off[2] + at + j * BLOCK];
    }
    geometric_product(a, b, c);
    float r[8] = push.r;
    uint k = 0u;
    for (; k + UNROLL <= push.chain; k += UNROLL) {
        [[unroll]] for (uint u = 0u; u < UNROLL; u++) times(c, r);
    }
    for (; k < push.chain; k++) times(c, r);
    [[unroll]] for (uint j = 0u; j < 8u; j++) vc[push.off[0] + at + j * BLOCK] = c[j];
}
