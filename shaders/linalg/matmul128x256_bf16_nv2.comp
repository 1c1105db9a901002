#version 460
// linalg/matmul in bfloat16 with sums in float32 by a cooperative matrix of the work-group, 128 x
// 256 x 64. The source says float16:
// compilers of GLSL that know bfloat16 are too new, so the module is rewritten.
// The driver optimises better what the compiler left alone:
// flags: -O0
// glslc: pinned
// rewrite: bfloat16
#define NUMBER float16_t
#define SUM float
#define ELEMENTS(words) (2u * (words))
#define HEIGHT 128
#define WIDTH 256
#define DEEP 64
#include "linalg/matmul_nv2.glsl"
