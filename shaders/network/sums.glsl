// Two sums over a work-group of 256 in a fixed order: 256 to 16 to 1.
shared vec2 group_sums[256];

vec2 sums_added(vec2 p, vec2 q) {
    precise vec2 sum = p + q;
    return sum;
}

void sums_join(uint t, uint step) {
    vec2 s = group_sums[t];
    for (uint j = 1u; j < 16u; j++) s = sums_added(s, group_sums[t + j * step]);
    group_sums[t] = s;
}

// The sum of mine over the work-group; only invocation 0 gets it.
vec2 group_sum(vec2 mine) {
    uint t = gl_LocalInvocationID.x;
    group_sums[t] = mine;
    barrier();
    if (t < 16u) sums_join(t, 16u);
    barrier();
    if (t == 0u) sums_join(0u, 1u);
    return group_sums[0];
}
