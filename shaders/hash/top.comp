#version 460
// hash/top: the last levels of a Merkle tree, at most ten, in one work-group:
// from the roots of all subtrees to the root. Levels live in shared memory (24 KiB)
// as words across nodes, so that neighbours lie in different banks.
//
// Bindings: 0 readonly uvec4 roots (2 a subtree), 1 writeonly uvec4 root (2)
// Push:     header; nodes (number of subtree roots, 1..1024)
// Constant: 1 RFC: 1 = RFC 6962 (default), 0 = raw
// Work: nodes-1 node hashes of 2 compressions, about log2(nodes) of them in sequence.
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/sha256.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint RFC = 1u;

layout(set = 0, binding = 0, std430) readonly buffer Src { uvec4 src[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Dst { uvec4 dst[]; };
PUSH(2, uint nodes;)

const uint BIG = 512u, SMALL = 256u;   // push.nodes held by the two halves
shared uint level[8u * (BIG + SMALL)]; // odd levels at 0, even ones at 8*BIG

Digest fetch(bool first, uint base, uint width, uint i) {
    if (first) {
        uint at = push.off[0] / 4u + i * 2u;
        return merkle_digest(src[at], src[at + 1u]);
    }
    uint p = base + i;
    return Digest(level[p], level[p + width], level[p + 2u * width], level[p + 3u * width],
                  level[p + 4u * width], level[p + 5u * width], level[p + 6u * width], level[p + 7u * width]);
}

void main() {
    uint tid = gl_LocalInvocationIndex;
    bool lead = group_index() == 0u;
    uint n = push.nodes, from = 0u, from_width = 0u;
    uint to = 0u, to_width = BIG;
    bool first = true;
    while (n > 1u) { // uniform: push.nodes is a push constant
        uint above = (n + 1u) / 2u;
        for (uint i = tid; i < above; i += gl_WorkGroupSize.x) {
            Digest left = fetch(first, from, from_width, 2u * i);
            Digest right = left;
            bool both = 2u * i + 1u < n;
            if (both) right = fetch(first, from, from_width, 2u * i + 1u);
            if (RFC == 0u) right = merkle_raw(left, right);
            else if (both) right = merkle_node(left, right);
            uint p = to + i;
            level[p] = right.a;                  level[p + to_width] = right.b;
            level[p + 2u * to_width] = right.c;  level[p + 3u * to_width] = right.d;
            level[p + 4u * to_width] = right.e;  level[p + 5u * to_width] = right.f;
            level[p + 6u * to_width] = right.g;  level[p + 7u * to_width] = right.h;
        }
        barrier();
        from = to; from_width = to_width;
        bool odd = to == 0u;
        to = odd ? 8u * BIG : 0u;
        to_width = odd ? SMALL : BIG;
        first = false;
        n = above;
    }
    if (lead && tid == 0u) {
        Digest root = fetch(first, from, from_width, 0u);
        uint at = push.off[1] / 4u;
        dst[at] = uvec4(root.a, root.b, root.c, root.d);
        dst[at + 1u] = uvec4(root.e, root.f, root.g, root.h);
    }
}
