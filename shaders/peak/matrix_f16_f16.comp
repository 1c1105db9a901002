#version 460
// peak/matrix.glsl in float16 with sums in float16.
// The driver optimises better what the compiler left alone:
// flags: -O0
// glslc: pinned
#define NUMBER float16_t
#define SUM float16_t
#define BYTES 2u
#define SUM_BYTES 2u
#include "peak/matrix.glsl"
