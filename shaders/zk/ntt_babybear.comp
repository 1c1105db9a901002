#version 460
// zk/ntt_babybear: one pass of a number-theoretic transform, see zk/ntt.glsl.
#include "zk/babybear.glsl"
#define PUSHED_SCALE push.scale0
#include "zk/ntt.glsl"
