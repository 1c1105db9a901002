#version 460
// One step of self-assembling particles in a square: each is pushed along the line to every
// other one at a distance between 0.1 and 5 by k[type][other type] / d^2, then moved by
// 0.1 times the sum and kept inside the box; its energy loses a hundredth.
//
// Bindings: 0 next (vec4, written), 1 particles (vec4, read), all of them: x, y, type, energy;
//           2 k (float, read), 4 x 4
// Push:     header; n, side of the box
// Grid:     a target per invocation; the local size is fixed, it would change the bits.
// Cost:     15 flop and an inverse square root per pair; a tile of 256 particles goes through
//           shared memory at a time. Sums run over the particles in order.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly buffer Next { vec4 next[]; };
layout(set = 0, binding = 1, std430) readonly buffer Particles { vec4 particles[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Strength { float k[]; };
PUSH(3, uint n; float side;)

const uint TILE = 256u, TYPES = 4u;
shared vec4 tile[TILE]; // x, y, bits of the type
shared float strength[TYPES * TYPES];

void main() {
    uint first = group_index() * TILE;
    if (first >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;
    if (t < TYPES * TYPES) strength[t] = k[push.off[2] + t];
    uint i = push.first_lo + min(first + t, push.count - 1u);
    vec4 own = particles[push.off[1] / 4u + i];
    uint row = uint(own.z) * TYPES;
    vec2 force = vec2(0.0);
    for (uint j0 = 0u; j0 < push.n; j0 += TILE) {
        barrier();
        vec4 p = particles[push.off[1] / 4u + min(j0 + t, push.n - 1u)];
        // A place beyond the last particle lies where no force reaches.
        tile[t] = vec4(j0 + t < push.n ? p.xy : vec2(-1e6), uintBitsToFloat(uint(p.z)), 0.0);
        barrier();
        for (uint j = 0u; j < TILE; j++) {
            vec4 q = tile[j];
            precise vec2 d = q.xy - own.xy;
            precise float square = d.x * d.x + d.y * d.y;
            float inverse = inversesqrt(max(square, 1e-12));
            bool near = square > 0.01 && square < 25.0;
            precise float f = near ? strength[row + floatBitsToUint(q.z)] * (inverse * inverse * inverse) : 0.0;
            precise vec2 sum = force + f * d;
            force = sum;
        }
    }
    if (first + t < push.count) {
        precise vec2 at = own.xy + 0.1 * force;
        precise float energy = own.w * 0.99;
        next[push.off[0] / 4u + first + t] = vec4(clamp(at, vec2(0.0), vec2(push.side)), own.z, energy);
    }
}
