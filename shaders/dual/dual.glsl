// Dual numbers x + x' eps with eps^2 = 0 as vec2(x, x'): (a, a')(b, b') = (a b, a' b + a b')
// and f(a, a') = (f(a), f'(a) a'). Functions are those of common/fmath.glsl and common/near.glsl.

vec2 dual_mul(vec2 a, vec2 b) { return vec2(a.x * b.x, a.y * b.x + a.x * b.y); }

vec2 dual_sin(vec2 a) {
    float s, c;
    am_sincos(a.x, s, c);
    return vec2(s, c * a.y);
}

// For -87 < a.x < 88.
vec2 dual_exp_near(vec2 a) {
    float e = exp_near(a.x);
    return vec2(e, e * a.y);
}

// For |a.x| < 0.625.
vec2 dual_tanh_near(vec2 a) {
    float t = am_tanh_near(a.x);
    return vec2(t, (1.0 - t * t) * a.y);
}

// For finite a.x from 2^-126 on.
vec2 dual_log_normal(vec2 a) { return vec2(ln_near(a.x), a.y / a.x); }
