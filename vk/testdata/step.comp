// v[i] = v[i] * 3 + i in place for i < count: dispatches of it do not commute
// with copies and fills, so that a missing barrier shows in the result.
// Binding: 0 uint v[]. Push: count. Constant: 0 work-group size.
#version 460
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer V { uint v[]; };
layout(push_constant) uniform Push { uint count; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < count) v[i] = v[i] * 3 + i;
}
