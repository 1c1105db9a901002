#version 460
// tropical/matmul, the k divided: one device's part of the product.
// Bindings: 0 readonly float/vec4 transpose of A, a row per k, row stride `stride`
//           1 readonly float/vec4 B, a row per k, row stride `cols`
//           2 float/vec4 C, rows `row0` and on, row stride `cols`
// Push:     header; stride (rows of A), cols, rows, row0, start (the share's first k, low word:
//           there C is written, from then on joined)
// Constants: 1 VEC: stride, cols, rows and row0 are multiples of 4: 16-byte accesses; 2 MIN: min-plus;
//           3 BAND: rows of tiles side by side; 4 UNROLLED: steps of 16 that are unrolled
// Work: 2 flop a pair (one add, one extreme), 128*128*16 pairs and 16 KiB read a step.

#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#define LAYOUT 1
#include "tropical/matmul.glsl"
