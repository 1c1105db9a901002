#version 460
// relativity/drift: the first half kick and the drift of a leapfrog step,
//   v += a * half_dt,  x += v * dt
// for the launch's bodies.
//
// Bindings: 0 vec4 pos of the launch's bodies (x, y, z, m)
//           1 vec4 vel, 2 readonly vec4 acc of the same bodies
// Push:     header; dt, half_dt (f32 bits)
// Work: 12 flop, 80 B a body; one body an invocation.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) buffer Pos { vec4 pos[]; };
layout(set = 0, binding = 1, std430) buffer Vel { vec4 vel[]; };
layout(set = 0, binding = 2, std430) readonly buffer Acc { vec4 acc[]; };
PUSH(3, float dt; float half_dt;)

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    vec4 v = vel[push.off[1] / 4u + i];
    vec4 x = pos[push.off[0] / 4u + i];
    precise vec3 half_kick = acc[push.off[2] / 4u + i].xyz * push.half_dt;
    precise vec3 kicked = v.xyz + half_kick;
    precise vec3 way = kicked * push.dt;
    precise vec3 moved = x.xyz + way;
    vel[push.off[1] / 4u + i] = vec4(kicked, v.w);
    pos[push.off[0] / 4u + i] = vec4(moved, x.w);
}
