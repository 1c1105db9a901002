#version 460
// Copies words between two buffers on one device.
//
// Bindings: 0 src (uint words, read), 1 dst (uint words, written).
// Push:     count, off_src, off_dst in words.
// Grid:     one word per invocation. Cost: 8 bytes.
#include "common/index.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Src { uint src[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Dst { uint dst[]; };
layout(push_constant) uniform Push { uint count, off_src, off_dst; } push;

void main() {
    uint i = invocation_index();
    if (i < push.count) dst[push.off_dst + i] = src[push.off_src + i];
}
