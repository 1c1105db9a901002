// What dual/functions and dual/functions_fused share: all but whether the driver may fuse.

#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"
#include "common/near.glsl"

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
    case 6u: r = am_rcp(v); break;
    case 7u: r = am_tanh_near(v); break;
    case 8u: r = am_exp_near(v); break;
    case 9u: r = ln_near(v); break;
    default: r = exp_near(v);
    }
    y[push.off[0] + i] = r;
}
