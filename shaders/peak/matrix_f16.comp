#version 460
// peak/matrix.glsl in float16 with sums in float32.
// The driver optimises better what the compiler left alone:
// flags: -O0
// glslc: pinned
#define NUMBER float16_t
#define SUM float
#define BYTES 2u
#define SUM_BYTES 4u
#include "peak/matrix.glsl"
