#version 460
// zk/ntt_goldilocks_wide: as zk/ntt_goldilocks, on 64-bit integers (shaderInt64).
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#include "zk/goldilocks_wide.glsl"
#define PUSHED_SCALE packUint2x32(uvec2(push.scale0, push.scale1))
#include "common/dft.glsl"
