#version 460
// The energy of rows of multivectors: the sum of the squares of all components.
//
// Bindings: 0 energies (float, written), one per unit; 1 cells (vec4, read), a row of `width`
//           cells (two vec4 each) a unit
// Push:     header; width
// Grid:     a work-group per unit; the local size is fixed, it would change the bits.
// Cost:     16 flop and 32 bytes per cell.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Energies { float energies[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Cells { vec4 cells[]; };
PUSH(2, uint width;)

shared float part[256];

float added(float p, float q) {
    precise float sum = p + q;
    return sum;
}

void join(uint t, uint step) {
    float s = part[t];
    for (uint j = 1u; j < 16u; j++) s = added(s, part[t + j * step]);
    part[t] = s;
}

void main() {
    uint u = group_index();
    if (u >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;
    float s = 0.0;
    for (uint i = t; i < 2u * push.width; i += 256u) {
        vec4 v = cells[push.off[1] / 4u + u * 2u * push.width + i];
        precise float square = (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
        s = added(s, square);
    }
    part[t] = s;
    barrier();
    if (t < 16u) join(t, 16u);
    barrier();
    if (t == 0u) {
        join(0u, 1u);
        energies[push.off[0] + u] = part[0];
    }
}
