#version 460
// hash/leaf: the bottom of a Merkle tree. Makes node G of the first stored level
// from leaves: with pair = 1 node G is the parent of leaves 2G and 2G+1, with
// pair = 0 it is leaf G itself (hashed in RFC 6962 mode).
//
// Bindings: 0 readonly uvec4 leaves (2 a leaf, 2^shift leaves a unit)
//           1 writeonly uvec4 nodes (2 a node, 2^dst_shift nodes a unit)
// Push:     header; shift, dst_shift, dst_base (node inside the unit at which the
//           level starts), leaves (in the whole tree), pair
// Constant: 1 RFC: 1 = RFC 6962 (default), 0 = raw
// Work: per node, 2 leaf compressions (RFC) and 2 for the node; 64 B read, 32 B
// written. An odd last leaf is promoted (RFC) or paired with itself (raw).
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/sha256.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint RFC = 1u;

layout(set = 0, binding = 0, std430) readonly buffer Src { uvec4 src[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Dst { uvec4 dst[]; };
PUSH(2, uint shift; uint dst_shift; uint dst_base; uint leaves; uint pair;)

void main() {
    uint t = invocation_index();
    uint log_out = push.shift - push.pair;
    uint unit = t >> log_out, i = t & ((1u << log_out) - 1u);
    if (unit >= push.count) return;
    uint leaf = ((((push.first_lo + unit) << log_out) | i) << push.pair); // of the whole tree
    if (leaf >= push.leaves) return;
    uint at = push.off[0] / 4u + ((unit << push.shift) + (i << push.pair)) * 2u;

    uint n = min(1u << push.pair, push.leaves - leaf); // leaves below this node that exist
    Digest left = Digest(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u), right = left;
    for (uint k = 0u; k < n; k++) {
        Digest x = merkle_digest(src[at + 2u * k], src[at + 2u * k + 1u]);
        left = right;
        if (RFC != 0u) right = merkle_leaf(x);
        else right = x;
    }
    if (push.pair != 0u) {
        if (n == 1u) left = right;
        if (RFC == 0u) right = merkle_raw(left, right);
        else if (n == 2u) right = merkle_node(left, right);
    }
    uint to = push.off[1] / 4u + ((unit << push.dst_shift) + push.dst_base + i) * 2u;
    dst[to] = uvec4(right.a, right.b, right.c, right.d);
    dst[to + 1u] = uvec4(right.e, right.f, right.g, right.h);
}
