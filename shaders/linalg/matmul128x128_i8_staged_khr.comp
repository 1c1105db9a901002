#version 460
// linalg/matmul in int8 with sums in int32 by cooperative matrices: the tile of 128 x 128 x
// 64, 20 KiB of shared memory, all fragments of a tile in registers.
// The driver optimises better what the compiler left alone:
// flags: -O0
// glslc: pinned
#define NUMBER int8_t
#define SUM int
#define ELEMENTS(words) (4u * (words))
#define TRANSPOSED_B
#define EACH 16u
#define FRAGMENT_K 32
#define HEIGHT 128u
#define WIDTH 128u
#define DEEP 64u
#define THREADS 128
#define SUB_HEIGHT 64u
#define SUB_WIDTH 64u
#define STAGED
#include "linalg/matmul_khr.glsl"
