#version 460
// Tropical sum of two vectors, element by element: y = max(a, b), or the minimum with MIN.
// Every 64th unit, from number 63 on, holds the laws of the sum instead, with the zero of the
// semiring, -infinity (MIN: +infinity): a + a, a + zero, zero + b, b + a.
// Bindings: 0 y (vec4, written), 1 a (vec4, read), 2 b (vec4, read); a unit is one vec4.
// Push:     header.
// Constant: 1 MIN.
// Grid:     VECTORS * local size consecutive units per work-group, a local size apart per
//           invocation; all loads are issued before the first store.
// Cost:     4 flop and 48 bytes per unit.

#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint MIN = 0u;

layout(set = 0, binding = 0, std430) writeonly restrict buffer Y { vec4 y[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer A { vec4 a[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer B { vec4 b[]; };

PUSH(3,)

const uint VECTORS = 4u;

// Unit i of the launch; in a place that shows a law, p and q become its two sides.
vec4 sum(uint i, vec4 p, vec4 q) {
    if (((push.first_lo + i) & 63u) == 63u) {
        float zero = uintBitsToFloat(MIN != 0u ? 0x7F800000u : 0xFF800000u);
        vec4 left = vec4(p.x, p.y, zero, q.w);
        q = vec4(p.x, zero, q.z, p.w);
        p = left;
    }
    return MIN != 0u ? min(p, q) : max(p, q);
}

void main() {
    const uint w = gl_WorkGroupSize.x;
    uint first = group_index() * (VECTORS * w);
    uint i = first + gl_LocalInvocationID.x;
    uint iy = push.off[0] / 4u + i, ia = push.off[1] / 4u + i, ib = push.off[2] / 4u + i;
    if (first + VECTORS * w <= push.count) {
        vec4 p0 = a[ia], p1 = a[ia + w], p2 = a[ia + 2u * w], p3 = a[ia + 3u * w];
        vec4 q0 = b[ib], q1 = b[ib + w], q2 = b[ib + 2u * w], q3 = b[ib + 3u * w];
        y[iy] = sum(i, p0, q0);
        y[iy + w] = sum(i + w, p1, q1);
        y[iy + 2u * w] = sum(i + 2u * w, p2, q2);
        y[iy + 3u * w] = sum(i + 3u * w, p3, q3);
        return;
    }
    for (uint j = 0u; j < VECTORS * w; j += w) {
        if (i + j < push.count) y[iy + j] = sum(i + j, a[ia + j], b[ib + j]);
    }
}
