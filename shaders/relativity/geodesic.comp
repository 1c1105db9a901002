#version 460
// Free particles around a Schwarzschild mass (G = c = M = 1): timelike geodesics in proper
// time, x'' = -(x / r^3) (1 + 3 h^2 / r^2) with the areal radius r, by velocity Verlet. The
// angular momentum h is computed once. A particle is frozen where r falls below 3.
//
// Bindings: 0 state (vec4, read and written), two per particle: x, y, z, captured (0 or 1);
//           velocity by proper time, h^2.
// Push:     header; steps, dt, half_dt.
// Grid:     one particle per invocation.
// Cost:     32 flop and a reciprocal square root per step, 64 bytes per launch.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) restrict buffer State { vec4 state[]; };
PUSH(1, uint steps; float dt; float half_dt;)

// The acceleration by x, where r^2 is r2.
float pull(float r2, float h2) {
    float inverse = inversesqrt(r2);
    float square = inverse * inverse;
    return -(square * inverse) * (1.0 + 3.0 * h2 * square);
}

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    uint at = push.off[0] / 4u + 2u * i;
    vec4 place = state[at];
    vec3 x = place.xyz, v = state[at + 1u].xyz;
    vec3 spin = cross(x, v);
    float h2 = dot(spin, spin), r2 = dot(x, x), captured = place.w;
    if (captured == 0.0) {
        vec3 a = x * pull(r2, h2);
        for (uint s = 0u; s < push.steps; s++) {
            v += a * push.half_dt;
            x += v * push.dt;
            r2 = dot(x, x);
            if (r2 < 9.0) {
                captured = 1.0;
                break;
            }
            a = x * pull(r2, h2);
            v += a * push.half_dt;
        }
    }
    state[at] = vec4(x, captured);
    state[at + 1u] = vec4(v, h2);
}
