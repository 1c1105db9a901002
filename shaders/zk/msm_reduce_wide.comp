#version 460
// zk/msm_reduce_wide: as zk/msm_reduce, with products of words in 64 bits (shaderInt64).
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#define BN254_WIDE
#include "zk/msm_reduce.glsl"
