#version 460
// zk/quotient: (a b - c) / Z, value by value on a coset of the roots of unity, where
// Z = x^n - 1 is one constant.
//
// Bindings: 0 uvec2 a, 1 readonly uvec2 b, 2 readonly uvec2 c; the quotient replaces a
// Push:     header; log_unit (values a unit), factor (1/Z, 2 words)
// Work: 2 products and a difference, 24 B read and 8 B written a value.
#include "common/index.glsl"
#include "common/push.glsl"
#include "zk/goldilocks.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) buffer A { uvec2 a[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { uvec2 b[]; };
layout(set = 0, binding = 2, std430) readonly buffer C { uvec2 c[]; };
PUSH(3, uint log_unit; uint factor0; uint factor1;)

void main() {
    uint t = invocation_index();
    if (t >> push.log_unit >= push.count) return;
    uint i = push.off[0] / 2u + t;
    uvec2 d = f_sub(f_mul(a[i], b[push.off[1] / 2u + t]), f_canonical(c[push.off[2] / 2u + t]));
    a[i] = f_canonical(f_mul(d, uvec2(push.factor0, push.factor1)));
}
