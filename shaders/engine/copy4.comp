#version 460
// Copies 16-byte vectors between two buffers on one device: engine/copy where count
// and both offsets are multiples of four words.
//
// Bindings: 0 src (uvec4, read), 1 dst (uvec4, written).
// Push:     count, off_src, off_dst in vectors.
// Grid:     one vector per invocation. Cost: 32 bytes.
#include "common/index.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Src { uvec4 src[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Dst { uvec4 dst[]; };
layout(push_constant) uniform Push { uint count, off_src, off_dst; } push;

void main() {
    uint i = invocation_index();
    if (i < push.count) dst[push.off_dst + i] = src[push.off_src + i];
}
