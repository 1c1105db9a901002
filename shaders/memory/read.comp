#version 460
// Read: the sum of every block of 8192 floats, kept in registers until its end, so that
// next to nothing is written. The order of additions is fixed: eight vec4 an invocation,
// the lanes of a vec4, then shared memory from 256 to 16 to 1.
//
// Bindings: 0 sums (float, written), one per unit; 1 x (vec4, read), a unit is a block.
// Push:     header.
// Constants: 0 local size, which divides 256; 1 TURNS: units of a work-group
// Grid:     a work-group for TURNS units. With a local size below 256 an invocation stands
//           for several, one after another: the bits are the same.
// Cost:     8191 additions and 32 KiB per unit.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint TURNS = 1u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Sums { float sums[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { vec4 x[]; };
PUSH(2, )

const uint WIDTH = 256u;
const uint VECTORS = 8u;
shared float group_sum[WIDTH];

vec4 added(vec4 p, vec4 q) {
    precise vec4 sum = p + q;
    return sum;
}

float added(float p, float q) {
    precise float sum = p + q;
    return sum;
}

// Adds the sums of invocations t + step, t + 2 step, ... t + 15 step to that of t.
void join(uint t, uint step) {
    float s = group_sum[t];
    for (uint j = 1u; j < 16u; j++) s = added(s, group_sum[t + j * step]);
    group_sum[t] = s;
}

void main() {
    uint lane = gl_LocalInvocationID.x;
    for (uint turn = 0u; turn < TURNS; turn++) {
        uint block = group_index() * TURNS + turn;
        if (block >= push.count) return; // the whole work-group
        if (turn > 0u) barrier(); // the last sum was read
        for (uint k = 0u; k < WIDTH / gl_WorkGroupSize.x; k++) {
            uint t = k * gl_WorkGroupSize.x + lane;
            uint i = push.off[1] / 4u + block * (VECTORS * WIDTH) + t;
            vec4 v0 = x[i], v1 = x[i + WIDTH], v2 = x[i + 2u * WIDTH], v3 = x[i + 3u * WIDTH];
            vec4 v4 = x[i + 4u * WIDTH], v5 = x[i + 5u * WIDTH], v6 = x[i + 6u * WIDTH], v7 = x[i + 7u * WIDTH];
            vec4 s = added(added(added(v0, v1), added(v2, v3)), added(added(v4, v5), added(v6, v7)));
            group_sum[t] = added(added(s.x, s.y), added(s.z, s.w));
        }
        barrier();
        if (lane < 16u) join(lane, 16u);
        barrier();
        if (lane == 0u) {
            join(0u, 1u);
            sums[push.off[0] + block] = group_sum[0];
        }
    }
}
