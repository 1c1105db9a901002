#version 460
#extension GL_EXT_control_flow_attributes : require
// The large tile of linalg/matmul in float64, 128 x 128 x 8, with 16 KiB of shared memory.
// The optimiser could reorder the arithmetic, as it does in float32:
// flags: -O0
#define PER 8
#include "linalg/matmul_f64.glsl"
