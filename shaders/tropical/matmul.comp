#version 460
// tropical/matmul, rows of A and C divided: max-plus or min-plus matrix product.
// Bindings: 0 readonly float/vec4 A, rows of the launch, row stride `stride`
//           1 readonly float/vec4 B, rows k0 .. k0+depth-1, row stride `cols`
//           2 float/vec4 C, rows of the launch, row stride `cols`
// Push:     header; stride (columns of A), k0, depth, cols, keep (1: C already holds the
//           extreme over earlier blocks)
// Constants: 1 VEC: stride, k0, depth and cols are multiples of 4: 16-byte accesses; 2 MIN: min-plus;
//           3 BAND: rows of tiles side by side; 4 UNROLLED: steps of 16 that are unrolled
// Work: 2 flop a pair (one add, one extreme), 128*128*16 pairs and 16 KiB read a step.

#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#define LAYOUT 0
#include "tropical/matmul.glsl"
