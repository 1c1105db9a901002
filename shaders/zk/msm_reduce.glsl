// Sum of b B_b over a segment of buckets from number `first` on: suffix sums give sum of
// (b - first) B_b and the sum of B_b, which is multiplied by `first` by doubling and adding.
// Included by zk/msm_reduce and zk/msm_reduce_wide.
//
// Bindings: 0 readonly uint ends (2^log_buckets a window),
//           1 readonly uvec4 buckets (6 each, 2^log_buckets a window),
//           2 uvec4 parts (6 each, segments a window)
// Push:     header; windows, log_buckets, log_segment (log2 of the buckets of a segment)
// Work: 2 additions of 16 products a bucket; log_buckets doublings of 7 and half as many
// additions a segment.
#include "common/index.glsl"
#include "common/push.glsl"
#include "zk/bn254.glsl"
#include "zk/bn254_add.glsl"

layout(local_size_x = 64, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) readonly buffer Ends { uint ends[]; };
layout(set = 0, binding = 1, std430) readonly buffer Buckets { uvec4 buckets[]; };
layout(set = 0, binding = 2, std430) buffer Parts { uvec4 parts[]; };
PUSH(3, uint windows; uint log_buckets; uint log_segment;)

void main() {
    uint t = invocation_index();
    uint log_segments = push.log_buckets - push.log_segment;
    if (t >> log_segments >= push.windows) return;
    uint segment = 1u << push.log_segment;
    uint base = (t >> log_segments) << push.log_buckets; // of the window
    uint first = (t & ((1u << log_segments) - 1u)) << push.log_segment;
    uint out_at = push.off[2] / 4u + 6u * t;

    Point run = INFINITY, sum = INFINITY; // sum: weighted by b - first, later the multiple of run
    uint suffix = 2u * segment - 1u; // turns of the suffix sums
    uint bit = push.log_buckets;
    bool adds = false; // the bit is set and its addition is still to come
    [[dont_unroll]] for (uint turn = 0u;; turn++) {
        bool onto_run = turn < suffix && (turn & 1u) == 0u, twice = false;
        Point p = onto_run ? run : sum, q = run;
        if (onto_run) {
            uint b = base + first + segment - 1u - turn / 2u;
            uint at = push.off[0] + b;
            bool empty = b == base || ends[at - 1u] == ends[at];
            q = INFINITY;
            if (!empty) q = LOAD_POINT(buckets, push.off[1] / 4u + 6u * b);
        } else if (turn >= suffix) {
            if (turn == suffix) {
                STORE_POINT(parts, out_at, sum)
                p = INFINITY;
                sum = INFINITY;
            }
            if (adds) {
                adds = false;
            } else if (bit > 0u) {
                bit--;
                twice = true;
                adds = ((first >> bit) & 1u) != 0u;
            } else { // the last addition
                bit--;
                q = LOAD_POINT(parts, out_at);
            }
        }
        Point r = point_add(p, q, twice);
        if (onto_run) run = r;
        else sum = r;
        if (bit == 0xFFFFFFFFu) break;
    }
    STORE_POINT(parts, out_at, sum)
}
