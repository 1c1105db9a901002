#version 460
#extension GL_EXT_control_flow_attributes : require
// The small tile of linalg/matmul in bfloat16 with sums in float32, without matrix units: two
// elements in a word, each the upper half of a float32.
#define QUAD uvec2
#define ELEMENTS(words) (2u * (words))
#define VEC4 vec4
#define UNPACK(q) unpack(q)
vec4 unpack(uvec2 q) { return uintBitsToFloat(uvec4(q.x << 16, q.x & 0xffff0000u, q.y << 16, q.y & 0xffff0000u)); }
#include "linalg/matmul64x64.glsl"
