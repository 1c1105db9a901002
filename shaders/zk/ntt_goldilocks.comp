#version 460
// zk/ntt_goldilocks: one pass of a number-theoretic transform, see common/dft.glsl.
#include "zk/goldilocks.glsl"
#define PUSHED_SCALE uvec2(push.scale0, push.scale1)
#include "common/dft.glsl"
