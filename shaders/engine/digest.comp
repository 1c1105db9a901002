#version 460
// Adds a digest of a range of words to an accumulator: four lanes of 32 bits, each the
// sum mod 2^32 of a mixed (word, global index). Sums do not depend on the order, so
// parts on several devices add up to the digest of the whole. Twin: suites.Digest.
//
// Bindings: 0 src (uint words, read), 1 acc (uint[4], added to atomically).
// Push:     count, off (element offset in src), idx_lo/hi (global index of the first)
// Grid:     any number of work-groups gives the same result; ceil(count / (16 * local
//           size)) gives each invocation 16 elements, a grid apart.
// Cost:     about 40 integer operations and 4 bytes per element.
#include "common/index.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Src { uint src[]; };
layout(set = 0, binding = 1, std430) restrict buffer Acc { uint acc[4]; };
layout(push_constant) uniform Push { uint count, off, idx_lo, idx_hi; } push;

shared uint group_sum[4];

// The lanes of one element; the index enters before the mixing, so that swapped
// elements show.
uvec4 lanes(uint word, uvec2 index) {
    uint salt = (index.x * 0x85EBCA6Bu) ^ (((index.y << 16) | (index.y >> 16)) * 0xC2B2AE35u);
    uvec4 z = uvec4(word ^ salt) + uvec4(0x9E3779B9u, 0x7F4A7C15u, 0xF39CC060u, 0x106689D4u);
    z ^= z >> 16;
    z *= 0x85EBCA6Bu;
    z ^= z >> 13;
    z *= 0xC2B2AE35u;
    z ^= z >> 16;
    return z;
}

void main() {
    uint lane = gl_LocalInvocationID.x;
    // A loop, because a work-group may be narrower than the accumulator.
    for (uint k = lane; k < 4u; k += gl_WorkGroupSize.x) group_sum[k] = 0u;
    barrier();

    uint grid = gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_WorkGroupSize.x;
    uvec4 sum = uvec4(0u);
    for (uint i = invocation_index(); i < push.count; i += grid) {
        sum += lanes(src[push.off + i], index_add(push.idx_lo, push.idx_hi, i));
    }
    for (int k = 0; k < 4; k++) atomicAdd(group_sum[k], sum[k]);
    barrier();

    for (uint k = lane; k < 4u; k += gl_WorkGroupSize.x) atomicAdd(acc[k], group_sum[k]);
}
