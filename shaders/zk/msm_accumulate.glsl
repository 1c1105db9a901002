// Sums of the points in each bucket, for chunks of sorted places: all invocations have the
// same number of additions, however long buckets are. The part of a bucket that began in a
// chunk before goes to that chunk's head, all else to the bucket. Included by
// zk/msm_accumulate and zk/msm_accumulate_wide.
//
// Bindings: 0 readonly uint ends (2^log_buckets a window), 1 readonly uint sorted (points a
//           window), 2 readonly uvec4 points (4 each),
//           3 writeonly uvec4 buckets (6 each, 2^log_buckets a window),
//           4 writeonly uvec4 heads (6 each, chunks a window)
// Push:     header; lo (first unit of the share), points (of the device), windows (of the
//           device), log_buckets, chunks (a window), by_windows (1: units are windows,
//           0: places in every window)
// Constant: 2 CHUNK, places of an invocation
// Work: a mixed addition a point and window, 11 products of 136 multiply-adds; 68 B.
#include "common/index.glsl"
#include "common/push.glsl"
#include "zk/bn254.glsl"
#include "zk/bn254_madd.glsl"

layout(local_size_x = 64, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) readonly buffer Ends { uint ends[]; };
layout(set = 0, binding = 1, std430) readonly buffer Sorted { uint sorted[]; };
layout(set = 0, binding = 2, std430) readonly buffer Points { uvec4 points[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Buckets { uvec4 buckets[]; };
layout(set = 0, binding = 4, std430) writeonly buffer Heads { uvec4 heads[]; };
PUSH(5, uint lo; uint points; uint windows; uint log_buckets; uint chunks; uint by_windows;)

#include "zk/msm_buckets.glsl"

void main() {
    uint g = group_index(), across, window, block, unit = push.first_lo - push.lo;
    const uint lanes = gl_WorkGroupSize.x;
    if (push.by_windows != 0u) {
        across = (push.chunks + lanes - 1u) / lanes;
        window = unit + g / across;
        block = g % across;
        if (g >= push.count * across) return;
    } else { // launches begin at whole work-groups
        across = push.windows;
        window = g % across;
        block = unit / (CHUNK * lanes) + g / across;
        if (g / across >= (push.count + CHUNK * lanes - 1u) / (CHUNK * lanes)) return;
    }
    uint chunk = block * lanes + gl_LocalInvocationIndex, place = chunk * CHUNK;
    if (chunk >= push.chunks || place >= end_of(window, (1u << push.log_buckets) - 1u)) return;
    uint end = min(place + CHUNK, end_of(window, (1u << push.log_buckets) - 1u));

    uint bucket = bucket_at(window, place), stop = end_of(window, bucket);
    bool began = end_of(window, bucket - 1u) < place;
    Point sum = INFINITY;
    [[dont_unroll]] for (; place <= end; place++) {
        if (place == stop || place == end) {
            if (began) STORE_POINT(heads, push.off[4] / 4u + 6u * (window * push.chunks + chunk), sum)
            else STORE_POINT(buckets, push.off[3] / 4u + 6u * ((window << push.log_buckets) + bucket), sum)
            if (place == end) break;
            began = false;
            sum = INFINITY;
            while (stop == place) stop = end_of(window, ++bucket);
        }
        uint at = push.off[2] / 4u + 4u * sorted[push.off[1] + window * push.points + place];
        sum = point_madd(sum, LOAD_AFFINE(points, at));
    }
}
