#version 460
// The nearest of k medoids of each node, by number; the lowest number of equally near ones.
//
// Bindings: 0 nearest (uint, written), one per unit; 1 d (float, read), a unit is a row of
//           `pitch` floats; 2 medoids (uint, read), k nodes
// Push:     header; pitch, k
// Grid:     an invocation per unit.
// Cost:     k scattered reads and comparisons a node.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Nearest { uint nearest[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer D { float d[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Medoids { uint medoids[]; };
PUSH(3, uint pitch; uint k;)

void main() {
    uint u = invocation_index();
    if (u >= push.count) return;
    uint row = push.off[1] + u * push.pitch, best = 0u;
    float least = d[row + medoids[push.off[2]]];
    for (uint c = 1u; c < push.k; c++) {
        float x = d[row + medoids[push.off[2] + c]];
        if (x < least) {
            least = x;
            best = c;
        }
    }
    nearest[push.off[0] + u] = best;
}
