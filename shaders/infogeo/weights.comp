#version 460
// Square roots of the weights of a logistic model, sqrt(p (1-p)) with p = sigmoid(x_r b):
// e^(-|z|/2) / (1 + e^-|z|) for z = x_r b, 0 for rows beyond the samples.
//
// Bindings: 0 s (float, written), a unit is a chunk of `rows` values;
//           1 X (vec4, read), a unit is a chunk of `rows` rows of d floats;
//           2 b (vec4, read), d floats.
// Push:     header; d (a multiple of 4), rows, samples (below 2^32).
// Grid:     16 invocations a row, 16 rows a work-group of 256, ceil(rows/16) work-groups a
//           chunk; the 16 sums of a row are added in order.
// Cost:     2 d flop and 4 d bytes a row.
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer S { float s[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { vec4 x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer B { vec4 b[]; };
PUSH(3, uint d; uint rows; uint samples;)

shared float sums[256];

void main() {
    uint groups = (push.rows + 15u) / 16u;
    uint chunk = group_index() / groups;
    uint t = gl_LocalInvocationID.x;
    uint row = group_index() % groups * 16u + t / 16u;
    bool valid = chunk < push.count && row < push.rows;
    vec4 sum = vec4(0.0);
    if (valid) {
        uint at = push.off[1] / 4u + (chunk * push.rows + row) * (push.d / 4u);
        for (uint c = t % 16u; c < push.d / 4u; c += 16u) sum += x[at + c] * b[push.off[2] / 4u + c];
    }
    sums[t] = (sum.x + sum.y) + (sum.z + sum.w);
    barrier();
    if (!valid || t % 16u != 0u) return;
    float z = 0.0;
    for (uint e = 0u; e < 16u; e++) z += sums[t + e];
    float half_power = am_exp(-0.5 * abs(z));
    float root = half_power * am_rcp(1.0 + half_power * half_power);
    bool sample_row = (push.first_lo + chunk) * push.rows + row < push.samples;
    s[push.off[0] + chunk * push.rows + row] = sample_row ? root : 0.0;
}
