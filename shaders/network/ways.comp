#version 460
// The weights of given edges as a matrix: w_ij of the edge from i to j, infinite where there
// is none, 0 on the diagonal.
//
// Bindings: 0 d (vec4, written), a unit is 64 rows of `pitch` floats; 1 starts (uint), 65 a
//           unit: the first edge of each row and the end of the last; 2 edges (uvec2: column,
//           weight), of the share, in the order of rows and columns, no pair twice
// Push:     header; n (nodes), pitch (a multiple of 128, at least n), base (first edge of the
//           share)
// Grid:     an invocation per vec4 of a unit.
// Cost:     a binary search of a row's edges and 16 bytes an invocation.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer D { vec4 d[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Starts { uint starts[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Edges { uvec2 edges[]; };
PUSH(3, uint n; uint pitch; uint base;)

const uint ROWS = 64u;

void main() {
    uint q = invocation_index();
    uint line = push.pitch / 4u;
    if (q >= push.count * ROWS * line) return;
    uint row = q / line, j = q % line * 4u, i = push.first_lo * ROWS + row;
    uint at = push.off[1] + row / ROWS * (ROWS + 1u) + row % ROWS;
    uint low = starts[at] - push.base, end = starts[at + 1u] - push.base, high = end;
    uint first = push.off[2] / 2u;
    while (low < high) { // the first edge to j or beyond
        uint middle = (low + high) >> 1;
        if (edges[first + middle].x < j) low = middle + 1u;
        else high = middle;
    }
    vec4 w = vec4(uintBitsToFloat(0x7F800000u));
    for (; low < end && edges[first + low].x < j + 4u; low++) {
        uvec2 e = edges[first + low];
        w[e.x - j] = float(e.y);
    }
    if (i < push.n && i - j < 4u) w[i - j] = 0.0;
    d[push.off[0] / 4u + q] = w;
}
