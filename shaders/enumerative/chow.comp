#version 460
// Products in the Chow ring of P^n, Z/p[h] / h^(n+1), and intersection numbers of n
// hypersurfaces there (Bezout).
//
// Bindings: 0 C (uvec4, written), 1 A (uvec4, read), 2 B (uvec4, read); a unit is one
//             class: n+1 coefficients of 1, h, h^2, ..., filled up with words to whole
//             vectors, which are ignored in A and B and zero in C. Bezout: a unit of A
//             holds n degrees from the first word on, B is not read.
// Push:     header.
// Constant: 1 n, 1 to 15; 2 BEZOUT: 1 multiplies out (d_1 h)(d_2 h)...(d_n h); 3 SCALE:
//           2^(32 n) mod p, which undoes what its Montgomery products divide by.
// Grid:     one unit per invocation. Products go through shared memory, so that a subgroup
//           writes whole lines.
// Cost:     (n+1)(n+2)/2 products of coefficients, summed in 64 bits, and n+1 reductions of
//           sums, 12 (n+1) bytes; Bezout: n modular multiplications, 8 (n+1) bytes.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "enumerative/field.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint N = 7u;
layout(constant_id = 2) const uint BEZOUT = 0u;
layout(constant_id = 3) const uint SCALE = 1u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer C { uvec4 vc[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer A { uvec4 va[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer B { uvec4 vb[]; };
PUSH(3, )

const uint MOST = 16u, GROUP = 256u;
const uint VECTORS = N / 4u + 1u;

shared uvec4 staged[GROUP * VECTORS]; // the products of a work-group

// Where vector k of a work-group lies: exchanged, so that neighbours with a class each meet
// no bank twice.
uint place(uint k) { return k ^ ((k >> 3) & 7u); }

void main() {
    uint t = gl_LocalInvocationIndex, first = group_index() * GROUP;
    if (first >= push.count) return; // the whole work-group
    uint i = min(first + t, push.count - 1u);
    uint a[MOST], b[MOST];
    [[unroll]] for (uint v = 0u; v < VECTORS; v++) {
        uvec4 x = va[push.off[1] / 4u + i * VECTORS + v];
        uvec4 y = BEZOUT == 0u ? vb[push.off[2] / 4u + i * VECTORS + v] : uvec4(0u);
        [[unroll]] for (uint e = 0u; e < 4u; e++) {
            a[4u * v + e] = x[e];
            b[4u * v + e] = y[e];
        }
    }
    // The class so far is one multiple of a power of h, whose exponent goes up by one.
    uint degree = a[0];
    if (BEZOUT == 1u) {
        [[unroll]] for (uint f = 1u; f < N; f++) degree = field_mul(degree, a[f]);
        degree = field_mul(degree, SCALE);
    }
    [[unroll]] for (uint v = 0u; v < VECTORS; v++) {
        uvec4 c = uvec4(0u);
        [[unroll]] for (uint e = 0u; e < 4u; e++) {
            uint j = 4u * v + e;
            if (BEZOUT == 1u) {
                c[e] = j == N ? degree : 0u;
            } else if (j <= N) {
                uint hi = 0u, lo = 0u;
                [[unroll]] for (uint k = 0u; k <= j; k++) {
                    field_sum(hi, lo, a[k], b[j - k]);
                    if (k >= 2u && ((k & 1u) == 1u || k == j)) field_fold(hi);
                }
                c[e] = field_reduce(hi, lo);
            }
        }
        staged[place(t * VECTORS + v)] = c;
    }
    barrier();
    uint base = first * VECTORS, count = push.count * VECTORS;
    [[unroll]] for (uint v = 0u; v < VECTORS; v++) {
        uint k = v * GROUP + t;
        if (base + k < count) vc[push.off[0] / 4u + base + k] = staged[place(k)];
    }
}
