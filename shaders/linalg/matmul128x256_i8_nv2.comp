#version 460
// linalg/matmul in int8 with sums in int32 by a cooperative matrix of the work-group, 128 x
// 256 x 128.
// The driver optimises better what the compiler left alone:
// flags: -O0
// glslc: pinned
#define NUMBER int8_t
#define SUM int
#define ELEMENTS(words) (4u * (words))
#define TRANSPOSED_B
#define HEIGHT 128
#define WIDTH 256
#define DEEP 128
#include "linalg/matmul_nv2.glsl"
