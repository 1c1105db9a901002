#version 460
// zk/msm_scan: counts of buckets to the first place of each, a work-group to a window; or
// zeros in their place.
//
// Bindings: 0 uint counters (2^log_buckets a window)
// Push:     header; windows, log_buckets
// Constant: 1 CLEAR: 1 = writes zeros
// Work: an addition and 12 B a bucket.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint CLEAR = 0u;

layout(set = 0, binding = 0, std430) buffer Counters { uint counters[]; };
PUSH(1, uint windows; uint log_buckets;)

shared uint sums[256];

void main() {
    uint t = gl_LocalInvocationIndex, w = group_index();
    bool valid = w < push.windows;
    uint buckets = 1u << push.log_buckets, base = push.off[0] + (w << push.log_buckets);
    if (CLEAR != 0u) {
        for (uint b = t; valid && b < buckets; b += 256u) counters[base + b] = 0u;
        return;
    }
    uint each = (buckets + 255u) / 256u, first = min(t * each, buckets), end = min(first + each, buckets);
    uint sum = 0u;
    for (uint b = first; valid && b < end; b++) sum += counters[base + b];
    sums[t] = sum;
    barrier();
    for (uint step = 1u; step < 256u; step <<= 1) { // inclusive sums over the invocations
        uint other = t >= step ? sums[t - step] : 0u;
        barrier();
        sums[t] += other;
        barrier();
    }
    uint place = sums[t] - sum;
    for (uint b = first; valid && b < end; b++) {
        uint n = counters[base + b];
        counters[base + b] = place;
        place += n;
    }
}
