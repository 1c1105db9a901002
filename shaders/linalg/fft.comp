#version 460
// linalg/fft: one pass of a discrete Fourier transform of complex numbers, see common/dft.glsl.
#include "linalg/complex.glsl"
#define PUSHED_SCALE vec2(uintBitsToFloat(push.scale0), 0.0)
#include "common/dft.glsl"
