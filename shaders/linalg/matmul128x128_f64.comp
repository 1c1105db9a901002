#version 460
#extension GL_EXT_control_flow_attributes : require
// The large tile of linalg/matmul in float64, 128 x 128 x 8, with 16 KiB of shared memory.
// An H200 makes 1.2 TFLOP/s of it without the optimiser, which unrolls the loops, and 21 with it.
#define PER 8
#include "linalg/matmul_f64.glsl"
