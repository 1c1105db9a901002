// The Gaussian manifold in natural coordinates (h1, h2), h2 < 0. An input holds numbers in
// [-1, 1); points are made of two of them.

vec2 natural_point(float a, float b) {
    precise float scaled = 0.3 * b;
    precise float h2 = scaled - 0.6;
    return vec2(a, h2);
}

// T_111 = 0, T_112, T_122, T_222: third derivatives of the potential.
vec3 amari_chentsov(vec2 h) {
    float i = am_rcp(h.y);
    float i2 = i * i;
    return vec3(0.5 * i2, -h.x * (i2 * i), (1.5 * h.x * h.x - h.y) * (i2 * i2));
}
