#version 460
// Divergences of pairs of vectors of K categories:
//   0 KL = Bregman of sum x log x: sum of p log(p/q) - p + q
//   1 Jensen-Shannon: half the KL of p and of q from their mean
//   2 Bregman of |x|^2 / 2: |p - q|^2 / 2
//   3 Bregman of log-sum-exp: log sum e^p - log sum e^q - <softmax q, p - q>
//   4 Bregman of exp(|x|^2): e^|p|^2 - e^|q|^2 - 2 e^|q|^2 <q, p - q>
//   5 alpha (Amari): 4/(1-a^2) sum of (1-a)/2 p + (1+a)/2 q - p^((1-a)/2) q^((1+a)/2)
//   6 exponential family, categorical logits: <p - q, mean of p> - psi(p) + psi(q)
// Logarithms of ratios are those of 1 + (p-q)/q, so that D(p,p) is exactly 0. Every 64th
// pair, from number 63 on, is p with itself.
//
// Bindings: 0 D (float, written), one per pair; 1 p, 2 q (vec4, read), K floats per pair.
// Push:     header; alpha.
// Constant: 1 KIND; 2 QUADS: K/4; 3 LANES of a pair, a power of two up to 16.
// Grid:     LANES invocations a pair, work-groups of 256. A pair's sums are added in the
//           order of the lanes.
// Cost:     nominally 7 operations and 8 bytes per category.
#extension GL_EXT_control_flow_attributes : require
#define AM_PRECISE
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint KIND = 0u;
layout(constant_id = 2) const uint QUADS = 16u;
layout(constant_id = 3) const uint LANES = 16u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer D { float divergence[]; };
layout(set = 0, binding = 1, std430) readonly buffer P { vec4 vp[]; };
layout(set = 0, binding = 2, std430) readonly buffer Q { vec4 vq[]; };
PUSH(3, float alpha;)

shared vec3 sums[256];

float log_ratio(float p, float q) { return am_log_normal(1.0 + (p - q) * am_rcp(q)); }

// One category's part of up to three sums.
vec3 terms(float p, float q) {
    if (KIND == 0u) return vec3(p * log_ratio(p, q) - (p - q), 0.0, 0.0);
    if (KIND == 1u) {
        float m = 0.5 * (p + q);
        return vec3(0.5 * (p * log_ratio(p, m) + q * log_ratio(q, m)), 0.0, 0.0);
    }
    if (KIND == 2u) return vec3(0.5 * (p - q) * (p - q), 0.0, 0.0);
    if (KIND == 3u) {
        float e = am_exp_near(q);
        return vec3(am_exp_near(p), e, e * (p - q));
    }
    if (KIND == 4u) return vec3(p * p, q * q, q * (p - q));
    if (KIND == 5u) {
        // p^(1-t) q^t = q e^((1-t) log(p/q)), t = (1+a)/2.
        float t = 0.5 * (1.0 + push.alpha);
        float mixed = q * am_exp_near((1.0 - t) * log_ratio(p, q));
        return vec3((q - mixed) + (1.0 - t) * (p - q), 0.0, 0.0);
    }
    float e = am_exp_near(p);
    return vec3(e, am_exp_near(q), e * (p - q));
}

float finish(vec3 s) {
    if (KIND == 3u) return (am_log_normal(s.x) - am_log_normal(s.y)) - s.z * am_rcp(s.y);
    if (KIND == 4u) {
        float e = am_exp_near(s.y);
        return (am_exp_near(s.x) - e) - 2.0 * e * s.z;
    }
    if (KIND == 5u) return 4.0 * am_rcp((1.0 - push.alpha) * (1.0 + push.alpha)) * s.x;
    if (KIND == 6u) return (am_log_normal(1.0 + s.y) - am_log_normal(1.0 + s.x)) + s.z * am_rcp(1.0 + s.x);
    return s.x;
}

void main() {
    uint t = gl_LocalInvocationID.x;
    uint pair = group_index() * (256u / LANES) + t / LANES;
    bool valid = pair < push.count;
    vec3 sum = vec3(0.0);
    if (valid) {
        bool same = ((push.first_lo + pair) & 63u) == 63u;
        uint ip = push.off[1] / 4u + pair * QUADS, iq = push.off[2] / 4u + pair * QUADS;
        for (uint c = t % LANES; c < QUADS; c += LANES) {
            vec4 p = vp[ip + c], q = vq[iq + c];
            if (same) q = p;
            sum += terms(p.x, q.x);
            sum += terms(p.y, q.y);
            sum += terms(p.z, q.z);
            sum += terms(p.w, q.w);
        }
    }
    sums[t] = sum;
    barrier();
    if (!valid || t % LANES != 0u) return;
    for (uint e = 1u; e < LANES; e++) sum += sums[t + e];
    divergence[push.off[0] + pair] = finish(sum);
}
