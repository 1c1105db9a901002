#version 460
// Fills a buffer with the words a link is tried with, or with one word.
//
// Bindings: 0 data (uint words, written).
// Push:     count  words
//           seed   of the pattern
//           fixed  1: every word is the seed itself
// Grid:     one word per invocation.
// Cost:     about 20 integer operations and 4 bytes per word.
#include "common/index.glsl"
#include "common/pattern.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Data { uint data[]; };
layout(push_constant) uniform Push { uint count, seed, fixed_word; } push;

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    data[i] = push.fixed_word != 0u ? push.seed : pattern(push.seed, i);
}
