#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_16bit_storage : require
// Needs int16 and storage16: every element and one more; n counts elements.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer X { int16_t x[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Y { int16_t y[]; };
layout(push_constant) uniform Push { uint n; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < n) y[i] = x[i] + int16_t(1);
}
