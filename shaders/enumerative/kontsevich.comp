#version 460
// Numbers N_d of rational plane curves of degree d through 3d-1 points, modulo p, by
// Kontsevich's recursion. With n_d = N_d / (3d-1)! it has no binomials:
//   n_1 = 1/2, n_d = sum over a + b = d of n_a n_b a^2 b (3b-1) (2a-b) / ((3d-1) (3d-2) (3d-3)).
//
// Bindings: 0 N (uint, written), one per degree; 1 tables (uint, read), three per degree: what
//             the sum is multiplied with for n_d d^2 2^32, for n_d d (3d-1) 2^32 and for N_d.
// Push:     header; degrees (at most 2048).
// Grid:     one work-group of 256: every degree needs all before it. Both factors of the terms
//           are kept in shared memory (17 KiB).
// Cost:     two modular multiplications and an addition a term, degrees^2 / 2 terms, and ten
//           barriers a degree.
#include "common/index.glsl"
#include "common/push.glsl"
#include "enumerative/field.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Tables { uint tables[]; };
PUSH(2, uint degrees;)

const uint WIDTH = 256u, MOST = 2048u;
shared uint left[MOST], right[MOST], sums[WIDTH]; // of degree d at d - 1

void main() {
    if (group_index() != 0u) return; // the whole work-group
    uint t = gl_LocalInvocationIndex;
    for (uint d = 1u; d <= push.degrees; d++) {
        uint sum = d == 1u && t == 0u ? 1u : 0u;
        for (uint a = 1u + t; a < d; a += WIDTH) {
            uint b = d - a, x = field_mul(left[a - 1u], right[b - 1u]);
            if (2u * a >= b) sum = field_add(sum, field_mul(x, 2u * a - b));
            else sum = field_sub(sum, field_mul(x, b - 2u * a));
        }
        sums[t] = sum;
        for (uint width = WIDTH / 2u; width > 0u; width /= 2u) {
            barrier();
            if (t < width) sums[t] = field_add(sums[t], sums[t + width]);
        }
        barrier();
        if (t == 0u) {
            uint at = push.off[1] + 3u * (d - 1u);
            left[d - 1u] = field_mul(sums[0], tables[at]);
            right[d - 1u] = field_mul(sums[0], tables[at + 1u]);
            numbers[push.off[0] + d - 1u] = field_mul(sums[0], tables[at + 2u]);
        }
        barrier();
    }
}
