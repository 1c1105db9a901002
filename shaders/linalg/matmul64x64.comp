#version 460
#extension GL_EXT_control_flow_attributes : require
// The small tile of linalg/matmul in float32.
#include "linalg/matmul64x64.glsl"
