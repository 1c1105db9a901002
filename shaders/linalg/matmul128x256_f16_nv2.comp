#version 460
// linalg/matmul in float16 with sums in float32 by a cooperative matrix of the work-group, 128 x
// 256 x 64.
// The driver optimises better what the compiler left alone:
// flags: -O0
// glslc: pinned
#define NUMBER float16_t
#define SUM float
#define ELEMENTS(words) (2u * (words))
#define HEIGHT 128
#define WIDTH 256
#define DEEP 64
#include "linalg/matmul_nv2.glsl"
