#version 460
// Vector addition: c[i] = a[i] + b[i].
//
// Bindings: 0 c (written), 1 a (read), 2 b (read); a unit is four floats.
// Push:     header.
// Constants: 0 local size, 1 VECTORS, 2 TURNS, 3 WIDTH (stream.glsl)
// Grid:     TURNS * VECTORS * local size * WIDTH / 4 consecutive units per work-group.
// Cost:     4 flop and 48 bytes per unit.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
PUSH(3, )

#define T1 float
#define T2 vec2
#define T4 vec4
#define INPUTS 2
float compute(float x, float y) { return x + y; }
vec2 compute(vec2 x, vec2 y) { return x + y; }
vec4 compute(vec4 x, vec4 y) { return x + y; }
#include "memory/stream.glsl"
