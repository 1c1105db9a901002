#version 460
#extension GL_EXT_control_flow_attributes : require
// The small tile of linalg/matmul in int8 with sums in int32, without matrix units: four
// elements in a word. B is stored by columns.
#define QUAD uint
#define ELEMENTS(words) (4u * (words))
#define VEC4 ivec4
#define UNPACK(q) unpack(int(q))
#define TRANSPOSED_B
ivec4 unpack(int q) { return ivec4(q << 24, q << 16, q << 8, q) >> 24; }
#include "linalg/matmul64x64.glsl"
