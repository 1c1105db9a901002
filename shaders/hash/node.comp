#version 460
// hash/node: one level of a Merkle tree. Node G of the level above is the parent
// of nodes 2G and 2G+1 of the level below.
//
// Bindings: 0 readonly uvec4 nodes below (2 a node, 2^src_shift nodes a unit)
//           1 writeonly uvec4 nodes above (2 a node, 2^dst_shift nodes a unit);
//           both may show the same array, their levels do not overlap
// Push:     header; log_out (log2 of the nodes above in a unit), src_shift,
//           src_base, dst_shift, dst_base (node inside the unit at which a level
//           starts), below (nodes of the level below in the whole tree)
// Constant: 1 RFC: 1 = RFC 6962 (default), 0 = raw
// Work: 2 compressions, 64 B read, 32 B written per node. An odd last node is
// promoted (RFC) or paired with itself (raw).
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/sha256.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint RFC = 1u;

layout(set = 0, binding = 0, std430) readonly buffer Src { uvec4 src[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Dst { uvec4 dst[]; };
PUSH(2, uint log_out; uint src_shift; uint src_base; uint dst_shift; uint dst_base; uint below;)

void main() {
    uint t = invocation_index();
    uint unit = t >> push.log_out, i = t & ((1u << push.log_out) - 1u);
    if (unit >= push.count) return;
    uint child = (((push.first_lo + unit) << push.log_out) | i) * 2u; // of the whole tree
    if (child >= push.below) return;
    bool both = child + 1u < push.below;
    uint at = push.off[0] / 4u + ((unit << push.src_shift) + push.src_base + 2u * i) * 2u;
    Digest left = merkle_digest(src[at], src[at + 1u]);
    Digest right = left;
    if (both) right = merkle_digest(src[at + 2u], src[at + 3u]);
    if (RFC == 0u) right = merkle_raw(left, right);
    else if (both) right = merkle_node(left, right);
    uint to = push.off[1] / 4u + ((unit << push.dst_shift) + push.dst_base + i) * 2u;
    dst[to] = uvec4(right.a, right.b, right.c, right.d);
    dst[to + 1u] = uvec4(right.e, right.f, right.g, right.h);
}
