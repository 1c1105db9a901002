#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Needs int64: the high word of a 64-bit product.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer X { uint x[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform Push { uint64_t by; uint n; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < n) y[i] = uint((uint64_t(x[i]) * by) >> 32);
}
