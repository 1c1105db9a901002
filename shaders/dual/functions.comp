#version 460
// One function of common/fmath.glsl on every element: what the tests of their errors run.
// Bindings: 0 y (float, written), 1 x (float, read).
// Push:     header, function (0 sin, 1 cos, 2 exp, 3 log, 4 tanh, 5 atan, 6 rcp).
// Grid:     one element per invocation.
// Cost:     up to 60 operations and 8 bytes per element.

#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) writeonly restrict buffer Y { float y[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { float x[]; };

PUSH(2, uint function;)

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    float v = x[push.off[1] + i];
    float r;
    switch (push.function) {
    case 0u: r = am_sin(v); break;
    case 1u: r = am_cos(v); break;
    case 2u: r = am_exp(v); break;
    case 3u: r = am_log(v); break;
    case 4u: r = am_tanh(v); break;
    case 5u: r = am_atan(v); break;
    default: r = am_rcp(v);
    }
    y[push.off[0] + i] = r;
}
