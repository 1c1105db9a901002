#version 460
// Fisher matrices (g11, g12, g22) of two-parameter families in closed form, four points a
// unit. Divisions are by am_rcp, since drivers guarantee 2.5 ULP only.
//
// Bindings: 0 g (vec4, written), 12 floats a unit; 1 u (vec4, read), 8 floats a unit: two in
//           [0.5, 1.5) for each point.
// Push:     header.
// Constant: 1 MODEL, with the parameters it makes of (a, b): 2 Gaussian mu = a, sigma = b;
//           3 Gaussian natural (a, -b); 4 Bernoulli p = a/2; 5 Poisson a; 6 exponential a;
//           7 categorical p = (a/4, b/4, rest), free coordinates; 8 the same in logits.
//           Families of one parameter leave g12 = g22 = 0.
// Grid:     one unit per invocation.
// Cost:     about 20 flop and 20 bytes per point.
#define AM_PRECISE precise
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint MODEL = 2u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer G { vec4 g[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer U { vec4 u[]; };
PUSH(2, )

vec3 fisher(float a, float b) {
    if (MODEL == 2u) {
        precise float i = am_rcp(b * b);
        return vec3(i, 0.0, 2.0 * i);
    }
    if (MODEL == 3u) {
        precise float square = b * b;
        precise float i = am_rcp(square);
        precise float g11 = 0.5 * am_rcp(b), g12 = (0.5 * a) * i;
        precise float above = b + a * a;
        precise float g22 = (0.5 * above) * am_rcp(square * b);
        return vec3(g11, g12, g22);
    }
    if (MODEL == 4u) {
        precise float p = 0.5 * a;
        precise float variance = p * (1.0 - p);
        return vec3(am_rcp(variance), 0.0, 0.0);
    }
    if (MODEL == 5u) return vec3(am_rcp(a), 0.0, 0.0);
    if (MODEL == 6u) {
        precise float square = a * a;
        return vec3(am_rcp(square), 0.0, 0.0);
    }
    precise float p = 0.25 * a, q = 0.25 * b;
    if (MODEL == 7u) {
        precise float rest = 1.0 - (p + q);
        precise float last = am_rcp(rest);
        precise float g11 = am_rcp(p) + last, g22 = am_rcp(q) + last;
        return vec3(g11, last, g22);
    }
    precise float g11 = p * (1.0 - p), g12 = p * q, g22 = q * (1.0 - q);
    return vec3(g11, -g12, g22);
}

// What the work-group writes: whole lines instead of 16 bytes in every 48.
shared vec4 tile[3u * gl_WorkGroupSize.x];

void main() {
    uint t = gl_LocalInvocationID.x, first = group_index() * gl_WorkGroupSize.x;
    if (first >= push.count) return; // the whole work-group
    uint units = min(push.count - first, gl_WorkGroupSize.x);
    uint from = push.off[1] / 4u + 2u * (first + min(t, units - 1u));
    vec4 low = u[from], high = u[from + 1u];
    vec3 p = fisher(low.x, low.y), q = fisher(low.z, low.w), r = fisher(high.x, high.y), s = fisher(high.z, high.w);
    tile[3u * t] = vec4(p, q.x);
    tile[3u * t + 1u] = vec4(q.yz, r.xy);
    tile[3u * t + 2u] = vec4(r.z, s);
    barrier();
    uint to = push.off[0] / 4u + 3u * first;
    for (uint e = t; e < 3u * units; e += gl_WorkGroupSize.x) g[to + e] = tile[e];
}
