// The modulation index of two distributions over 18 bins, and the sum over one bin.
// MI = sum of g(e) / (18 ln 18), e = 18 P - 1, g(e) = (1+e) ln(1+e) - e: no term is below
// zero and none cancels another.
// Cost: 65 operations a bin and distribution.

const uint BINS = 18u;

float divergence(float r) { // g at e = r - 1
    float e = r - 1.0;
    float near = e * e * (0.5 + e * (-0.166666667 + e * (0.0833333333 + e * -0.05)));
    float far = r < 1.17549435e-38 ? 1.0 : r * am_log_normal(max(r, 1.17549435e-38)) - e;
    return abs(e) < 0.02 ? near : far;
}

// q: what the bins hold, in any unit. No amplitude at all counts as none coupled.
#define INDEX(q, first, mi) { \
    vec2 all = vec2(0.0); \
    for (uint b = 0u; b < BINS; b++) all += q[first + b]; \
    vec2 unit = vec2(all.x > 0.0 ? 18.0 / all.x : 0.0, all.y > 0.0 ? 18.0 / all.y : 0.0); \
    vec2 sum = vec2(0.0); \
    for (uint b = 0u; b < BINS; b++) sum += vec2(divergence(q[first + b].x * unit.x), divergence(q[first + b].y * unit.y)); \
    mi = vec2(all.x > 0.0 ? sum.x : 0.0, all.y > 0.0 ? sum.y : 0.0) * 0.0192209031; \
}
