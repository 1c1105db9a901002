#version 460
// zk/coset: multiplies coefficient j of a polynomial by g^j, in place, which moves its
// values from the roots of unity to a coset of theirs.
//
// Bindings: 0 uvec2 coefficients (j1 n2 + j2 lies at j2 n1 + j1),
//           1 readonly uvec2 powers: 2^half of g, then those of g^(2^half)
// Push:     header; log_n1, log_n2, log_unit (coefficients a unit), half
// Work: 2 products, 8 B read and 8 B written a coefficient, 2 entries of the table.
#include "common/index.glsl"
#include "common/push.glsl"
#include "zk/goldilocks.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) buffer Values { uvec2 values[]; };
layout(set = 0, binding = 1, std430) readonly buffer Powers { uvec2 powers[]; };
PUSH(2, uint log_n1; uint log_n2; uint log_unit; uint half_log;)

void main() {
    uint t = invocation_index();
    if (t >> push.log_unit >= push.count) return;
    uint stored = (push.first_lo << push.log_unit) + t;
    uint j = (stored >> push.log_n1) + ((stored & ((1u << push.log_n1) - 1u)) << push.log_n2);
    uint at = push.off[1] / 2u;
    uvec2 power = f_mul(powers[at + (j & ((1u << push.half_log) - 1u))], powers[at + (1u << push.half_log) + (j >> push.half_log)]);
    uint i = push.off[0] / 2u + t;
    values[i] = f_canonical(f_mul(values[i], power));
}
