#version 460
// float16 in vectors.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer A { f16vec4 a[]; };
void main() { a[1] = a[0] + a[2]; }
