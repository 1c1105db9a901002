#version 460
// Adaptive aggregation of pinn/train: a device whose squared norm exceeds `limit` times the
// median of all is left out, the others weigh alike. Devices without points have norm 0
// and count for nothing.
//
// Bindings: 0 norms (read), squared; 1 mine (read and written): this device's gradient
// Push:     header; stride (elements of mine), rank, ranks, limit (float, of squares)
// Grid:     an invocation an element.
// Cost:     ranks^2 comparisons an element.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Norms { float norms[]; };
layout(set = 0, binding = 1, std430) restrict buffer Mine { float mine[]; };
PUSH(2, uint stride; uint rank; uint ranks; float limit;)

void main() {
    uint i = invocation_index();
    if (i >= push.stride) return;
    uint at = push.off[0], busy = 0u;
    for (uint a = 0u; a < push.ranks; a++) busy += norms[at + a] > 0.0 ? 1u : 0u;
    float median = 0.0; // the lower one of an even number
    for (uint a = 0u; a < push.ranks; a++) {
        float x = norms[at + a];
        uint below = 0u;
        for (uint b = 0u; b < push.ranks; b++) {
            float y = norms[at + b];
            below += y > 0.0 && (y < x || (y == x && b < a)) ? 1u : 0u;
        }
        if (x > 0.0 && below == (busy - 1u) / 2u) median = x;
    }
    uint kept = 0u;
    for (uint a = 0u; a < push.ranks; a++) kept += norms[at + a] > 0.0 && norms[at + a] <= push.limit * median ? 1u : 0u;
    float own = norms[at + push.rank];
    float weight = own > 0.0 && own <= push.limit * median ? 1.0 / float(kept) : 0.0;
    uint to = push.off[1] + i;
    mine[to] = weight == 0.0 ? 0.0 : weight * mine[to];
}
