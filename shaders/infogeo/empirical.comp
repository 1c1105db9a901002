#version 460
// Empirical Fisher matrices of the Gaussian: at each point (mu, sigma) the mean over all
// samples x of s s^T with the score s = ((x-mu)/sigma^2, ((x-mu)^2 - sigma^2)/sigma^3).
//
// Bindings: 0 g (float, written), three a point: g11, g12, g22; 1 u (vec2, read), mu and
//           sigma of a point; 2 x (float, read), the samples.
// Push:     header; samples, factor: 1/samples.
// Grid:     one point per invocation, work-groups of 256, which share the samples in tiles
//           of 1024 (4 KiB). The sums run in the order of the samples.
// Cost:     12 flop per point and sample.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer G { float g[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer U { vec2 u[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer X { float x[]; };
PUSH(3, uint samples; float factor;)

const uint TILE = 1024u;
shared float tile[TILE];

void main() {
    uint i = invocation_index(), t = gl_LocalInvocationID.x;
    vec2 point = u[push.off[1] / 2u + min(i, push.count - 1u)];
    float variance = point.y * point.y;
    float i2 = am_rcp(variance), i3 = i2 * am_rcp(point.y);
    vec3 sum = vec3(0.0);
    for (uint first = 0u; first < push.samples; first += TILE) {
        barrier();
        for (uint k = t; k < TILE; k += 256u) tile[k] = x[push.off[2] + min(first + k, push.samples - 1u)];
        barrier();
        uint n = min(push.samples - first, TILE);
        for (uint k = 0u; k < n; k++) {
            float d = tile[k] - point.x;
            float s1 = d * i2, s2 = (d * d - variance) * i3;
            sum.x += s1 * s1;
            sum.y += s1 * s2;
            sum.z += s2 * s2;
        }
    }
    if (i >= push.count) return;
    sum *= push.factor;
    g[push.off[0] + 3u * i] = sum.x;
    g[push.off[0] + 3u * i + 1u] = sum.y;
    g[push.off[0] + 3u * i + 2u] = sum.z;
}
