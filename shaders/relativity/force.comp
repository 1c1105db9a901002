#version 460
// relativity/force: gravity of all bodies on the launch's bodies, and the second
// half kick of a leapfrog step:
//   a_i = G sum_j m_j d_ij / (|d_ij|^2 + eps^2)^(3/2),  v_i += a_i * half_dt
//
// Bodies are read in tiles of 1024 through shared memory (16 KiB). PARTS
// invocations share one set of targets: each sums its own quarter (eighth, ...) of
// every tile in rising j, and the parts are added in order. The order depends on
// PARTS and the number of bodies alone, so the bits do not depend on how targets
// are divided. The last tile is shared out anew, in whole runs of 16 bodies.
//
// Bindings: 0 readonly vec4 pos, all bodies (x, y, z, m)
//           1 writeonly vec4 acc of the launch's bodies (w = 0)
//           2 vec4 vel of the launch's bodies
// Push:     header; bodies, eps2, g, half_dt (f32 bits)
// Constants: 0 local size; 1 PARTS (a power of two, at most 16), 2 TARGETS an invocation (1, 2
//           or 4), 3 UNROLL: bodies of one turn, which divides 16
// Work: 20 flop (nominal) a pair: 12 arithmetic instructions and one reciprocal
// square root. A work-group makes TARGETS*local size/PARTS targets.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint PARTS = 4u;
layout(constant_id = 2) const uint TARGETS = 2u;
layout(constant_id = 3) const uint UNROLL = 16u;

layout(set = 0, binding = 0, std430) readonly buffer Pos { vec4 pos[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Acc { vec4 acc[]; };
layout(set = 0, binding = 2, std430) buffer Vel { vec4 vel[]; };
PUSH(3, uint bodies; float eps2; float g; float half_dt;)

const uint TILE = 1024u;
shared vec4 tile[TILE];

// Adds the bodies [part*slice, (part+1)*slice) of the tile to every target.
#define SUM(slice)                                                              \
    for (uint k = 0u; k < (slice); k += UNROLL) {                               \
        [[unroll]] for (uint u = 0u; u < UNROLL; u++) {                         \
            vec4 b = tile[part * (slice) + k + u];                              \
            [[unroll]] for (uint t = 0u; t < TARGETS; t++) {                    \
                vec3 d = b.xyz - x[t];                                          \
                float r2 = d.x * d.x + (d.y * d.y + (d.z * d.z + push.eps2));   \
                float inv = inversesqrt(r2);                                    \
                float s = (b.w * inv) * (inv * inv);                            \
                a[t] += d * s;                                                  \
            }                                                                   \
        }                                                                       \
    }

void main() {
    uint tid = gl_LocalInvocationIndex;
    uint lanes = gl_WorkGroupSize.x / PARTS; // invocations with the same part
    uint part = tid / lanes, lane = tid - part * lanes;
    uint base = group_index() * lanes * TARGETS + lane;

    vec3 x[4];
    vec3 a[4];
    [[unroll]] for (uint t = 0u; t < TARGETS; t++) {
        // Targets past the end repeat the last body and are not stored.
        uint body = push.first_lo + min(base + t * lanes, push.count - 1u);
        x[t] = pos[push.off[0] / 4u + body].xyz;
        a[t] = vec3(0.0);
    }
    for (uint j0 = 0u; j0 < push.bodies; j0 += TILE) {
        barrier();
        for (uint k = tid; k < TILE; k += gl_WorkGroupSize.x) {
            uint j = j0 + k;
            tile[k] = j < push.bodies ? pos[push.off[0] / 4u + j] : vec4(0.0); // no mass: adds nothing
        }
        barrier();
        uint left = push.bodies - j0;
        // Two loops: with a constant length the compiler schedules whole tiles better.
        if (left >= TILE) {
            SUM(TILE / PARTS)
        } else {
            uint slice = (left + 16u * PARTS - 1u) / (16u * PARTS) * 16u;
            SUM(slice)
        }
    }
    [[unroll]] for (uint t = 0u; t < TARGETS; t++) {
        barrier();
        tile[tid] = vec4(a[t], 0.0);
        barrier();
        uint at = base + t * lanes;
        if (part == 0u && at < push.count) {
            vec3 sum = tile[lane].xyz;
            for (uint p = 1u; p < PARTS; p++) sum += tile[p * lanes + lane].xyz;
            sum *= push.g;
            acc[push.off[1] / 4u + at] = vec4(sum, 0.0);
            vec4 v = vel[push.off[2] / 4u + at];
            vel[push.off[2] / 4u + at] = vec4(v.xyz + sum * push.half_dt, v.w);
        }
    }
}
