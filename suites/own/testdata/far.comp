#version 460
#extension GL_EXT_shader_atomic_float : require
// Needs float32-atomics, which amgpu never switches on.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer X { float x[]; };
void main() { atomicAdd(x[gl_GlobalInvocationID.x], 1.0); }
