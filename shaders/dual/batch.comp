#version 460
// Sums of the gradients of a canonical chunk of points, in an order of its own: four runs
// of every fourth point, then their sum. Only additions occur: the same bits everywhere.
// Bindings: 0 sums, 1 partials (float, written, the same 64 per unit); 2 gradient (float,
//           read), 64 per point; a unit is one chunk of `points` points.
// Push:     header, points, last (index of the last chunk), tail (points in it).
// Grid:     one chunk per work-group of 256.
// Cost:     64 flop and 256 bytes per point.

#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) writeonly restrict buffer S { float sums[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer P { float partials[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer G { float gradient[]; };

PUSH(3, uint points; uint last; uint tail;)

const uint N = 64u;
shared float runs[256];

void main() {
    uint chunk = group_index();
    if (chunk >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationIndex, j = t % N;
    uint valid = push.first_lo + chunk == push.last ? push.tail : push.points;
    uint base = push.off[2] + chunk * push.points * N + j;
    precise float sum = 0.0;
    for (uint p = t / N; p < valid; p += 4u) sum = sum + gradient[base + p * N];
    runs[t] = sum;
    barrier();
    if (t < N) {
        precise float total = (runs[t] + runs[t + N]) + (runs[t + 2u * N] + runs[t + 3u * N]);
        sums[push.off[0] + chunk * N + t] = total;
        partials[push.off[1] + chunk * N + t] = total;
    }
}
