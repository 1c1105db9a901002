#version 460
#extension GL_EXT_control_flow_attributes : require
// The small tile of linalg/matmul in float64, 64 x 64 x 8, with 8 KiB of shared memory.
#define PER 4
#include "linalg/matmul_f64.glsl"
