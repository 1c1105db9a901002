#version 460
// Copy: c[i] = a[i], word for word.
//
// Bindings: 0 c (written), 1 a (read); a unit is four words.
// Push:     header.
// Constants: 0 local size, 1 VECTORS, 2 TURNS, 3 WIDTH (stream.glsl)
// Grid:     TURNS * VECTORS * local size * WIDTH / 4 consecutive units per work-group.
// Cost:     32 bytes per unit.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
PUSH(2, )

#define T1 uint
#define T2 uvec2
#define T4 uvec4
#define INPUTS 1
#define compute(x) (x)
#include "memory/stream.glsl"
