#version 460
// STREAM triad (McCalpin 1995): a[i] = b[i] + s * c[i], product and sum each rounded.
//
// Bindings: 0 a (written), 1 b (read), 2 c (read); a unit is four floats.
// Push:     header, s.
// Constants: 0 local size, 1 VECTORS, 2 TURNS, 3 WIDTH (stream.glsl)
// Grid:     TURNS * VECTORS * local size * WIDTH / 4 consecutive units per work-group.
// Cost:     8 flop and 48 bytes per unit.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
PUSH(3, float s;)

#define T1 float
#define T2 vec2
#define T4 vec4
#define INPUTS 2
#define COMPUTE_FOR(T)              \
    T compute(T y, T z) {           \
        precise T scaled = push.s * z; \
        precise T sum = y + scaled; \
        return sum;                 \
    }
COMPUTE_FOR(float)
COMPUTE_FOR(vec2)
COMPUTE_FOR(vec4)
#include "memory/stream.glsl"
