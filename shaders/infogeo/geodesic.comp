#version 460
// Geodesics of an alpha connection on the Gaussian manifold in natural coordinates, by
// Runge-Kutta of fourth order: h'' = -(1-alpha)/2 g^-1 T(h', h').
//
// Bindings: 0 end (vec4, written): h1, h2, h1', h2'; 1 start (vec4, read): four numbers in
//             [-1, 1) that make the point and, times 0.1, the velocity.
// Push:     header; steps, dt, factor: -(1-alpha)/2.
// Grid:     one curve per invocation.
// Cost:     240 flop per step, 32 bytes per curve.
#define AM_PRECISE
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"
#include "infogeo/manifold.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer End { vec4 end[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Start { vec4 start[]; };
PUSH(2, uint steps; float dt; float factor;)

// The derivative of (h, v).
vec4 slope(vec4 s) {
    vec2 h = s.xy, v = s.zw;
    vec3 t = amari_chentsov(h);
    float q1 = (2.0 * t.x * v.x + t.y * v.y) * v.y;
    float q2 = t.x * v.x * v.x + (2.0 * t.y * v.x + t.z * v.y) * v.y;
    float off = 2.0 * h.x * h.y;
    float a1 = (2.0 * h.x * h.x - 2.0 * h.y) * q1 + off * q2;
    float a2 = off * q1 + 2.0 * h.y * h.y * q2;
    return vec4(v, push.factor * a1, push.factor * a2);
}

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    vec4 in_unit = start[push.off[1] / 4u + i];
    precise vec2 v = 0.1 * in_unit.zw;
    vec4 s = vec4(natural_point(in_unit.x, in_unit.y), v);
    float half_dt = 0.5 * push.dt, sixth = push.dt * 0.16666667;
    for (uint k = 0u; k < push.steps; k++) {
        vec4 a = slope(s);
        vec4 b = slope(s + half_dt * a);
        vec4 c = slope(s + half_dt * b);
        vec4 d = slope(s + push.dt * c);
        s += sixth * ((a + d) + 2.0 * (b + c));
    }
    end[push.off[0] / 4u + i] = s;
}
