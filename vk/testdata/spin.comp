// Keeps the device busy: every invocation runs rounds steps of a generator.
// Binding: 0 uint v[]. Push: count, rounds. Constant: 0 work-group size.
#version 460
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer V { uint v[]; };
layout(push_constant) uniform Push { uint count, rounds; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= count) return;
    uint x = v[i] + i;
    for (uint k = 0; k < rounds; k++) x = x * 1664525u + 1013904223u;
    v[i] = x;
}
