#version 460
// Products in the Chow ring of P^n, Z/p[h] / h^(n+1), and intersection numbers of n
// hypersurfaces there (Bezout).
//
// Bindings: 0 C (uvec4, written), 1 A (uvec4, read), 2 B (uvec4, read); a unit is one
//             class: n+1 coefficients of 1, h, h^2, ..., filled up with words to whole
//             vectors, which are ignored in A and B and zero in C. Bezout: a unit of A
//             holds n degrees from the first word on, B is not read.
// Push:     header.
// Constant: 1 n, 1 to 15; 2 BEZOUT: 1 multiplies out (d_1 h)(d_2 h)...(d_n h).
// Grid:     one unit per invocation.
// Cost:     (n+1)(n+2)/2 modular multiplications and n+1 to scale, 12 (n+1) bytes;
//           Bezout: n products of a class and a hypersurface, n(n+1).
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "enumerative/field.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint N = 7u;
layout(constant_id = 2) const uint BEZOUT = 0u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer C { uvec4 vc[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer A { uvec4 va[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer B { uvec4 vb[]; };
PUSH(3, )

const uint SCALE = 0x45DDDDE3u; // 2^64 mod p: a product with it is one with 2^32
const uint MOST = 16u;
const uint VECTORS = N / 4u + 1u;

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    uint a[MOST], b[MOST], c[MOST];
    [[unroll]] for (uint v = 0u; v < VECTORS; v++) {
        uvec4 x = va[push.off[1] / 4u + i * VECTORS + v];
        uvec4 y = BEZOUT == 0u ? vb[push.off[2] / 4u + i * VECTORS + v] : uvec4(0u);
        [[unroll]] for (uint e = 0u; e < 4u; e++) {
            a[4u * v + e] = x[e];
            b[4u * v + e] = y[e];
            c[4u * v + e] = 0u;
        }
    }
    if (BEZOUT == 1u) {
        // The class so far, times d h: coefficients move up by one.
        c[0] = 1u;
        [[unroll]] for (uint f = 0u; f < N; f++) {
            uint d = field_mul(a[f], SCALE);
            [[unroll]] for (uint j = N; j > 0u; j--) c[j] = field_mul(c[j - 1u], d);
            c[0] = 0u;
        }
    } else {
        [[unroll]] for (uint j = 0u; j <= N; j++) b[j] = field_mul(b[j], SCALE);
        [[unroll]] for (uint j = 0u; j <= N; j++) {
            [[unroll]] for (uint k = 0u; k <= j; k++) c[j] = field_add(c[j], field_mul(a[k], b[j - k]));
        }
    }
    [[unroll]] for (uint v = 0u; v < VECTORS; v++)
        vc[push.off[0] / 4u + i * VECTORS + v] = uvec4(c[4u * v], c[4u * v + 1u], c[4u * v + 2u], c[4u * v + 3u]);
}
