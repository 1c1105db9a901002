#version 460
// linalg/matmul in bfloat16 with sums in float32 by cooperative matrices: the tile of 128 x 128
// x 32, 18.5 KiB of shared memory, all fragments of a tile in registers. The source says float16:
// compilers of GLSL that know bfloat16 are too new, so the module is rewritten.
// The driver optimises better what the compiler left alone:
// flags: -O0
// glslc: pinned
// rewrite: bfloat16
#define NUMBER float16_t
#define SUM float
#define ELEMENTS(words) (2u * (words))
#define EACH 8u
#define FRAGMENT_K 16
#define HEIGHT 128u
#define WIDTH 128u
#define DEEP 32u
#define THREADS 128
#define SUB_HEIGHT 64u
#define SUB_WIDTH 64u
#define STAGED
#include "linalg/matmul_khr.glsl"
