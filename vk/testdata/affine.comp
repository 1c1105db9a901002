// dst[i] = src[i] * mul + add + bias for i < count.
// Bindings: 0 readonly uint src[], 1 writeonly uint dst[]. Push: count, mul, add.
// Constants: 0 work-group size, 1 bias.
#version 460
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint bias = 0;
layout(set = 0, binding = 0) readonly buffer Src { uint src[]; };
layout(set = 0, binding = 1) writeonly buffer Dst { uint dst[]; };
layout(push_constant) uniform Push { uint count, mul, add; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < count) dst[i] = src[i] * mul + add + bias;
}
