#version 460
// zk/msm_sum: sums of 256 points, a work-group to each, by a tree.
//
// Bindings: 0 readonly uvec4 src (6 each, n a window), 1 writeonly uvec4 dst (6 each,
//           ceil(n / 256) a window)
// Push:     header; windows, n, at (first point of the results in dst)
// Work: an addition of 16 products and 96 B a point. 24 KiB of shared memory.
#include "common/index.glsl"
#include "common/push.glsl"
#include "zk/bn254.glsl"
#include "zk/bn254_add.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) readonly buffer Src { uvec4 src[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Dst { uvec4 dst[]; };
PUSH(2, uint windows; uint n; uint at;)

shared uvec4 tile[6 * 256]; // in planes: neighbours lie side by side

Point fetch(uint i) {
    return Point(Fe(tile[i], tile[256u + i]), Fe(tile[512u + i], tile[768u + i]), Fe(tile[1024u + i], tile[1280u + i]));
}

void put(uint i, Point p) {
    tile[i] = p.x.lo;
    tile[256u + i] = p.x.hi;
    tile[512u + i] = p.y.lo;
    tile[768u + i] = p.y.hi;
    tile[1024u + i] = p.z.lo;
    tile[1280u + i] = p.z.hi;
}

void main() {
    uint t = gl_LocalInvocationIndex, across = (push.n + 255u) / 256u;
    uint window = group_index() / across, first = group_index() % across * 256u;
    uint have = window < push.windows ? min(push.n - first, 256u) : 0u;
    if (t < have) put(t, LOAD_POINT(src, push.off[0] / 4u + 6u * (window * push.n + first + t)));
    barrier();
    [[dont_unroll]] for (uint width = 128u; width > 0u; width >>= 1) {
        if (t < width && t + width < have) put(t, point_add(fetch(t), fetch(t + width), false));
        barrier();
    }
    if (t == 0u && have > 0u) STORE_POINT(dst, push.off[1] / 4u + 6u * (push.at + window * across + first / 256u), fetch(0u))
}
