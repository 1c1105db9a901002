#version 460
// tropical/matmul, squares of C divided.
// Bindings: 0 readonly float/vec4 A, all rows, row stride `stride`
//           1 readonly float/vec4 B, all rows, row stride `cols`
//           2 float/vec4 C, the squares of the launch, edge * edge elements each
// Push:     header; stride (columns of A), k0 (0), depth, cols, rows, edge, squares
// Constants: 1 VEC: stride, depth, cols and edge are multiples of 4: 16-byte accesses; 2 MIN: min-plus;
//           4 UNROLLED: steps of 16 that are unrolled
// Work: 2 flop a pair (one add, one extreme), 128*128*16 pairs and 16 KiB read a step.

#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#define LAYOUT 2
#include "tropical/matmul.glsl"
