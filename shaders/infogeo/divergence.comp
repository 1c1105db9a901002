#version 460
// Divergences of pairs of vectors of K categories:
//   0 KL = Bregman of sum x log x: sum of p log(p/q) - p + q
//   1 Jensen-Shannon: half the KL of p and of q from their mean
//   2 Bregman of |x|^2 / 2: |p - q|^2 / 2
//   3 Bregman of log-sum-exp: log sum e^p - log sum e^q - <softmax q, p - q>
//   4 Bregman of exp(|x|^2): e^|p|^2 - e^|q|^2 - 2 e^|q|^2 <q, p - q>
//   5 alpha (Amari): 4/(1-a^2) sum of (1-a)/2 p + (1+a)/2 q - p^((1-a)/2) q^((1+a)/2)
//   6 exponential family, categorical logits: <p - q, mean of p> - psi(p) + psi(q)
// Logarithms of ratios are those of 1 + (p-q)/q, so that D(p,p) is exactly 0; those of
// Jensen-Shannon are of 1 + x and 1 - x, x = (p-q)/(p+q): one division. Every 64th pair, from
// number 63 on, is p with itself.
//
// Bindings: 0 D (float, written), one per pair; 1 p, 2 q (vec4, read), K floats per pair.
// Push:     header; alpha.
// Constant: 1 KIND; 2 QUADS: K/4; 3 LANES of a pair, a power of two up to 8.
// Grid:     LANES invocations a pair, work-groups of 256, whose first 256/LANES add the sums
//           of a pair each in the order of the lanes: of few subgroups all invocations finish.
// Cost:     nominally 7 operations and 8 bytes per category; executed, with divisions as one:
//           KL 26, Jensen-Shannon 51, squares 3, log-sum-exp and exponential family 33,
//           alpha 46.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/near.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint KIND = 0u;
layout(constant_id = 2) const uint QUADS = 16u;
layout(constant_id = 3) const uint LANES = 8u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer D { float divergence[]; };
layout(set = 0, binding = 1, std430) readonly buffer P { vec4 vp[]; };
layout(set = 0, binding = 2, std430) readonly buffer Q { vec4 vq[]; };
PUSH(3, float alpha;)

const uint PAIRS = 256u / LANES;
// Lanes are ROW apart, so that neighbours meet no bank twice, whether they write or read.
const uint ROW = PAIRS + 32u / LANES;
const bool SEVERAL = KIND == 3u || KIND == 4u || KIND == 6u; // sums
shared float sums[3][288];

float log_ratio(float p, float q) { return ln_near(1.0 + (p - q) / q); }

// One category's part of up to three sums.
vec3 terms(float p, float q) {
    if (KIND == 0u) return vec3(p * log_ratio(p, q) - (p - q), 0.0, 0.0);
    if (KIND == 1u) {
        float x = (p - q) / (p + q); // p = m (1 + x), q = m (1 - x), m = (p + q) / 2
        return vec3(0.5 * (p * ln_near(1.0 + x) + q * ln_near(1.0 - x)), 0.0, 0.0);
    }
    if (KIND == 2u) return vec3(0.5 * (p - q) * (p - q), 0.0, 0.0);
    if (KIND == 3u) {
        float e = exp_near(q);
        return vec3(exp_near(p), e, e * (p - q));
    }
    if (KIND == 4u) {
        precise vec3 v = vec3(p * p, q * q, q * (p - q)); // both squares are summed alike
        return v;
    }
    if (KIND == 5u) {
        // p^(1-t) q^t = q e^((1-t) log(p/q)), t = (1+a)/2.
        float t = 0.5 * (1.0 + push.alpha);
        float mixed = q * exp_near((1.0 - t) * log_ratio(p, q));
        return vec3((q - mixed) + (1.0 - t) * (p - q), 0.0, 0.0);
    }
    float e = exp_near(p);
    return vec3(e, exp_near(q), e * (p - q));
}

// The differences are precise: a compiler that factors out of both sides what they share may
// leave more than 0 of equal ones.
float finish(vec3 s) {
    if (KIND == 3u || KIND == 6u) {
        float one = KIND == 6u ? 1.0 : 0.0;
        float p = ln_near(one + s.x), q = ln_near(one + s.y);
        precise float difference = p - q, mean = s.z / (one + (KIND == 6u ? s.x : s.y));
        precise float d = KIND == 6u ? mean - difference : difference - mean;
        return d;
    }
    if (KIND == 4u) {
        float p = exp_near(s.x), q = exp_near(s.y);
        precise float difference = p - q;
        return difference - 2.0 * q * s.z;
    }
    if (KIND == 5u) return 4.0 / ((1.0 - push.alpha) * (1.0 + push.alpha)) * s.x;
    return s.x;
}

vec3 quad(vec4 p, vec4 q) {
    return (terms(p.x, q.x) + terms(p.y, q.y)) + (terms(p.z, q.z) + terms(p.w, q.w));
}

void main() {
    uint t = gl_LocalInvocationID.x, lane = t % LANES, local = t / LANES;
    uint first = group_index() * PAIRS, pair = first + local;
    vec3 sum = vec3(0.0);
    if (pair < push.count) {
        bool same = ((push.first_lo + pair) & 63u) == 63u;
        uint ip = push.off[1] / 4u + pair * QUADS, iq = push.off[2] / 4u + pair * QUADS;
        for (uint c = lane; c < QUADS; c += 2u * LANES) {
            bool more = c + LANES < QUADS; // both are loaded before either is used
            vec4 p = vp[ip + c], q = vq[iq + c], p2 = vec4(1.0), q2 = vec4(1.0);
            if (more) {
                p2 = vp[ip + c + LANES];
                q2 = vq[iq + c + LANES];
            }
            sum += quad(p, same ? p : q);
            if (more) sum += quad(p2, same ? p2 : q2);
        }
    }
    uint at = lane * ROW + local;
    sums[0][at] = sum.x;
    if (SEVERAL) {
        sums[1][at] = sum.y;
        sums[2][at] = sum.z;
    }
    barrier();
    if (t >= PAIRS || first + t >= push.count) return;
    sum = vec3(0.0);
    for (uint e = 0u; e < LANES; e++) {
        uint from = e * ROW + t;
        sum.x += sums[0][from];
        if (SEVERAL) sum.yz += vec2(sums[1][from], sums[2][from]);
    }
    divergence[push.off[0] + first + t] = finish(sum);
}
