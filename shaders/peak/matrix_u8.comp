#version 460
// peak/matrix.glsl in unsigned bytes with sums in 32-bit integers.
// The driver optimises better what the compiler left alone:
// flags: -O0
// glslc: pinned
#define NUMBER uint8_t
#define SUM uint
#define BYTES 1u
#define SUM_BYTES 4u
#include "peak/matrix.glsl"
