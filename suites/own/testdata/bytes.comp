#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_8bit_storage : require
// Needs int8 and storage8: bytes upside down.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer X { uint8_t x[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Y { uint8_t y[]; };
layout(push_constant) uniform Push { uint n; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < 4 * n) y[i] = uint8_t(255) - x[i];
}
