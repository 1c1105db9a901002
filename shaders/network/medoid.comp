#version 460
// The next medoids: of the nodes that have medoid c as their nearest, the one of least cost,
// the lowest of equal ones. A medoid that nobody is nearest to stays what it is.
// Or, with START, the first medoids: node floor(c n / k) for number c.
//
// Bindings: 0 medoids (uint), k; 1 before (uint, written): what they were;
//           2 nearest (uint, read), all nodes; 3 cost (float, read; not negative), all nodes
// Push:     header; n (nodes, at most 2^18), k (at most 1024)
// Constant: 1 START
// Grid:     a work-group per medoid; the local size is fixed.
// Cost:     a comparison and 8 bytes for each node and medoid.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint START = 0u;
layout(set = 0, binding = 0, std430) restrict buffer Medoids { uint medoids[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Before { uint before[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Nearest { uint nearest[]; };
layout(set = 0, binding = 3, std430) readonly restrict buffer Cost { float cost[]; };
PUSH(4, uint n; uint k;)

shared uvec2 least[256]; // cost, as bits, which compare like the number; node

bool less(uvec2 a, uvec2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }

void main() {
    uint c = group_index(), t = gl_LocalInvocationID.x;
    if (c >= push.k) return; // the whole work-group
    if (START != 0u) {
        if (t == 0u) medoids[push.off[0] + c] = c * push.n / push.k;
        return;
    }
    uvec2 best = uvec2(0xFFFFFFFFu);
    for (uint i = t; i < push.n; i += 256u)
        if (nearest[push.off[2] + i] == c) {
            uvec2 own = uvec2(floatBitsToUint(cost[push.off[3] + i]), i);
            if (less(own, best)) best = own;
        }
    least[t] = best;
    barrier();
    for (uint width = 128u; width > 0u; width >>= 1) {
        if (t < width && less(least[t + width], least[t])) least[t] = least[t + width];
        barrier();
    }
    if (t == 0u) {
        before[push.off[1] + c] = medoids[push.off[0] + c];
        if (least[0].y != 0xFFFFFFFFu) medoids[push.off[0] + c] = least[0].y;
    }
}
