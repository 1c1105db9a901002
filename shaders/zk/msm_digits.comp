#version 460
// zk/msm_digits: the two passes of sorting points by bucket, in every window: counting the
// points of each bucket, and placing their numbers behind one another. The order inside a
// bucket is whatever the atomics make it.
//
// Window w of W covers the bits from 254 w / W on to the next one's; points whose digit is 0
// are left out. Bits 254 and 255 of a scalar count as 0.
//
// Bindings: 0 readonly uvec4 scalars (2 each), 1 uint counters (2^log_buckets a window: counts;
//           when placing first free places, which become ends),
//           2 uint sorted (points a window: numbers of points)
// Push:     header; lo (first unit of the share), each (points a unit), points (of the device),
//           window (first), windows (of the device), all (windows in all), log_buckets
// Constant: 1 PLACE: 0 = counts, 1 = places
// Work: an atomic addition a point and window; 32 B read a point, 4 B written a window.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint PLACE = 0u;

layout(set = 0, binding = 0, std430) readonly buffer Scalars { uvec4 scalars[]; };
layout(set = 0, binding = 1, std430) buffer Counters { uint counters[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Sorted { uint sorted[]; };
PUSH(3, uint lo; uint each; uint points; uint window; uint windows; uint all; uint log_buckets;)

const uint SCALAR_BITS = 254u;

uint word(uvec4 s[2], uint i) { return i < 8u ? s[i >> 2][i & 3u] : 0u; }

void main() {
    uint t = invocation_index(), i = (push.first_lo - push.lo) * push.each + t;
    if (t >= push.count * push.each || i >= push.points) return;
    uint at = push.off[0] / 4u + 2u * i;
    uvec4 s[2] = uvec4[2](scalars[at], scalars[at + 1u]);
    s[1].w &= 0x3FFFFFFFu;
    for (uint w = 0u; w < push.windows; w++) {
        uint from = SCALAR_BITS * (push.window + w) / push.all;
        uint bits = SCALAR_BITS * (push.window + w + 1u) / push.all - from, shift = from & 31u;
        uint low = word(s, from >> 5) >> shift;
        uint high = shift == 0u ? 0u : word(s, (from >> 5) + 1u) << (32u - shift);
        uint digit = (low | high) & ((1u << bits) - 1u);
        if (digit == 0u) continue;
        uint place = atomicAdd(counters[push.off[1] + (w << push.log_buckets) + digit], 1u);
        if (PLACE != 0u) sorted[push.off[2] + w * push.points + place] = i;
    }
}
