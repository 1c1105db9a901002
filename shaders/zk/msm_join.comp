#version 460
// zk/msm_join: adds the heads of chunks to the buckets that they belong to. The chunk in
// which a bucket ends does it.
//
// Bindings: 0 readonly uint ends (2^log_buckets a window),
//           1 uvec4 buckets (6 each, 2^log_buckets a window),
//           2 readonly uvec4 heads (6 each, chunks a window)
// Push:     header; windows, log_buckets, chunks (a window)
// Constant: 2 CHUNK, places of a chunk
// Work: an addition of 16 products a chunk at most.
#include "common/index.glsl"
#include "common/push.glsl"
#include "zk/bn254.glsl"
#include "zk/bn254_add.glsl"

layout(local_size_x = 64, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) readonly buffer Ends { uint ends[]; };
layout(set = 0, binding = 1, std430) buffer Buckets { uvec4 buckets[]; };
layout(set = 0, binding = 2, std430) readonly buffer Heads { uvec4 heads[]; };
PUSH(3, uint windows; uint log_buckets; uint chunks;)

#include "zk/msm_buckets.glsl"

void main() {
    uint t = invocation_index(), window = t / push.chunks, chunk = t % push.chunks, place = chunk * CHUNK;
    if (window >= push.windows || place >= end_of(window, (1u << push.log_buckets) - 1u)) return;
    uint bucket = bucket_at(window, place), first = end_of(window, bucket - 1u);
    if (first >= place || (end_of(window, bucket) - 1u) / CHUNK != chunk) return;
    uint at = push.off[1] / 4u + 6u * ((window << push.log_buckets) + bucket);
    Point sum = LOAD_POINT(buckets, at);
    [[dont_unroll]] for (uint c = first / CHUNK + 1u; c <= chunk; c++)
        sum = point_add(sum, LOAD_POINT(heads, push.off[2] / 4u + 6u * (window * push.chunks + c)), false);
    STORE_POINT(buckets, at, sum)
}
