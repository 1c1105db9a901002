#version 460
// zk/ntt_babybear: one pass of a number-theoretic transform, see common/dft.glsl.
#include "zk/babybear.glsl"
#define PUSHED_SCALE push.scale0
#include "common/dft.glsl"
