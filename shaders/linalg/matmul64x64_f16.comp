#version 460
#extension GL_EXT_control_flow_attributes : require
// The small tile of linalg/matmul in float16 with sums in float32, without matrix units: two
// elements in a word, made float32 when they are loaded.
#define QUAD uvec2
#define ELEMENTS(words) (2u * (words))
#define VEC4 vec4
#define UNPACK(q) unpack(q)
vec4 unpack(uvec2 q) { return vec4(unpackHalf2x16(q.x), unpackHalf2x16(q.y)); }
#include "linalg/matmul64x64.glsl"
