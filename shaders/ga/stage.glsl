// Multivectors are 32 bytes apart, so invocations that load their own two vec4 leave half
// of every transaction to the next load. A work-group therefore moves two vec4 an invocation
// in order through shared memory, where the exchange of neighbours meets no bank twice.
// For work-groups of GROUP, 256 where the shader defines nothing else before it includes this.

#ifndef GROUP
#define GROUP 256u
#endif
const uint STAGE = 2u * GROUP;
shared vec4 stage[STAGE];

uint stage_at(uint i) { return i ^ ((i >> 3) & 1u); }

// The multivector of this invocation from the STAGE vec4 of a work-group, given as its t-th
// and (t+GROUP)-th vec4. All invocations must call it.
void stage_in(vec4 first, vec4 second, out float m[8]) {
    uint t = gl_LocalInvocationIndex;
    stage[stage_at(t)] = first;
    stage[stage_at(t + GROUP)] = second;
    barrier();
    vec4 lo = stage[stage_at(2u * t)], hi = stage[stage_at(2u * t + 1u)];
    m = float[8](lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w);
}

// The other way. An invocation overwrites only what it alone read.
void stage_out(float m[8], out vec4 first, out vec4 second) {
    uint t = gl_LocalInvocationIndex;
    stage[stage_at(2u * t)] = vec4(m[0], m[1], m[2], m[3]);
    stage[stage_at(2u * t + 1u)] = vec4(m[4], m[5], m[6], m[7]);
    barrier();
    first = stage[stage_at(t)];
    second = stage[stage_at(t + GROUP)];
}
